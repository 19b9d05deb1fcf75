"""What the program shows and did not compute: icons, themes, texts. A package, so that wheels carry it."""
