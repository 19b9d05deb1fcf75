<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name />
        <message>
            <source>Attach files</source>
            <translation>Dateien anhängen</translation>
        </message>
        <message>
            <source>Choose a folder</source>
            <translation>Ordner wählen</translation>
        </message>
        <message>
            <source>Conversations (*.json *.zip);;All files (*)</source>
            <translation>Unterhaltungen (*.json *.zip);;Alle Dateien (*)</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>Exportieren</translation>
        </message>
        <message>
            <source>Export as {name}</source>
            <translation>Exportieren als {name}</translation>
        </message>
        <message>
            <source>Import conversations</source>
            <translation>Unterhaltungen importieren</translation>
        </message>
        <message>
            <source>Models (*.gguf);;All files (*)</source>
            <translation>Modelle (*.gguf);;Alle Dateien (*)</translation>
        </message>
        <message>
            <source>Open a model file</source>
            <translation>Modelldatei öffnen</translation>
        </message>
    </context>
    <context>
        <name>About</name>
        <message>
            <source>1 thread</source>
            <translation>1 Thread</translation>
        </message>
        <message>
            <source>About Headwater</source>
            <translation>Über Headwater</translation>
        </message>
        <message>
            <source>Close this view (Esc)</source>
            <translation>Diese Ansicht schließen (Esc)</translation>
        </message>
        <message>
            <source>Computes on</source>
            <translation>Rechnet auf</translation>
        </message>
        <message>
            <source>Copied</source>
            <translation>Kopiert</translation>
        </message>
        <message>
            <source>Copy details</source>
            <translation>Einzelheiten kopieren</translation>
        </message>
        <message>
            <source>Language models on your own machine, and a look inside. Free software under the MIT licence.</source>
            <translation>Sprachmodelle auf dem eigenen Rechner, mit Blick ins Innere. Freie Software unter der MIT-Lizenz.</translation>
        </message>
        <message>
            <source>Licences</source>
            <translation>Lizenzen</translation>
        </message>
        <message>
            <source>Model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <source>Processor</source>
            <translation>Prozessor</translation>
        </message>
        <message>
            <source>System</source>
            <translation>System</translation>
        </message>
        <message>
            <source>none</source>
            <translation>keines</translation>
        </message>
        <message>
            <source>{count} threads</source>
            <translation>{count} Threads</translation>
        </message>
    </context>
    <context>
        <name>Aftermath</name>
        <message>
            <source>Go on there</source>
            <translation>Dort weitermachen</translation>
        </message>
        <message>
            <source>Headwater crashed when it ran last. What was said is kept.</source>
            <translation>Headwater ist beim letzten Mal abgestürzt. Was gesagt wurde, ist erhalten.</translation>
        </message>
        <message>
            <source>Headwater was ended while “{title}” was open.</source>
            <translation>Headwater wurde beendet, während „{title}“ offen war.</translation>
        </message>
        <message>
            <source>Load it all the same</source>
            <translation>Trotzdem laden</translation>
        </message>
        <message>
            <source>Show the report</source>
            <translation>Den Bericht zeigen</translation>
        </message>
        <message>
            <source>{model} was not loaded: Headwater ended twice in a row while it was at work.</source>
            <translation>{model} wurde nicht geladen: Headwater ist zweimal hintereinander abgebrochen, während es arbeitete.</translation>
        </message>
    </context>
    <context>
        <name>App</name>
        <message>
            <source>Another window of Headwater is open. Close it, then delete everything.</source>
            <translation>Ein weiteres Fenster von Headwater ist offen. Erst dieses schließen, dann alles löschen.</translation>
        </message>
        <message>
            <source>Safe mode: all is as at first, on the CPU. What is chosen now is not kept.</source>
            <translation>Abgesicherter Modus: alles ist wie am Anfang, auf der CPU. Was jetzt gewählt wird, wird nicht behalten.</translation>
        </message>
    </context>
    <context>
        <name>Attaching</name>
        <message>
            <source>A picture cannot go along; only text can be read.</source>
            <translation>Ein Bild kann nicht mitgehen; nur Text wird gelesen.</translation>
        </message>
        <message>
            <source>Pasted text</source>
            <translation>Eingefügter Text</translation>
        </message>
    </context>
    <context>
        <name>AttachmentRow</name>
        <message>
            <source>Attached files</source>
            <translation>Angehängte Dateien</translation>
        </message>
    </context>
    <context>
        <name>Catalogue</name>
        <message>
            <source>Demanding questions, where the memory is there</source>
            <translation>Anspruchsvolle Fragen, wo der Speicher reicht</translation>
        </message>
        <message>
            <source>Demanding writing, where the memory is there</source>
            <translation>Anspruchsvolle Texte, wo der Speicher reicht</translation>
        </message>
        <message>
            <source>English</source>
            <translation>Englisch</translation>
        </message>
        <message>
            <source>Everyday questions and longer texts</source>
            <translation>Alltägliche Fragen und längere Texte</translation>
        </message>
        <message>
            <source>Everyday writing on a small machine</source>
            <translation>Alltägliche Texte auf einem kleinen Rechner</translation>
        </message>
        <message>
            <source>Everyday writing; a good first choice for most laptops</source>
            <translation>Alltägliche Texte; für die meisten Laptops eine gute erste Wahl</translation>
        </message>
        <message>
            <source>General questions and texts</source>
            <translation>Allgemeine Fragen und Texte</translation>
        </message>
        <message>
            <source>Harder instructions, longer code</source>
            <translation>Schwierigere Anweisungen, längerer Code</translation>
        </message>
        <message>
            <source>Instructions and simple code on a small machine</source>
            <translation>Anweisungen und einfacher Code auf einem kleinen Rechner</translation>
        </message>
        <message>
            <source>Instructions, tables and code</source>
            <translation>Anweisungen, Tabellen und Code</translation>
        </message>
        <message>
            <source>Mathematics and reasoning</source>
            <translation>Mathematik und Schlussfolgern</translation>
        </message>
        <message>
            <source>Quick; short answers, lists and simple code</source>
            <translation>Schnell; kurze Antworten, Listen und einfacher Code</translation>
        </message>
        <message>
            <source>Reasoning, thinks before it answers; quick for its size</source>
            <translation>Schlussfolgern, überlegt vor der Antwort; für seine Größe schnell</translation>
        </message>
        <message>
            <source>Rewriting and summaries, with training data that is published</source>
            <translation>Umschreiben und Zusammenfassen, mit veröffentlichten Trainingsdaten</translation>
        </message>
        <message>
            <source>Summaries and rewriting on a small machine</source>
            <translation>Zusammenfassen und Umschreiben auf einem kleinen Rechner</translation>
        </message>
        <message>
            <source>Very quick; short rewriting and trying things out</source>
            <translation>Sehr schnell; kurzes Umschreiben und Ausprobieren</translation>
        </message>
    </context>
    <context>
        <name>CataloguePage</name>
        <message>
            <source>Download</source>
            <translation>Herunterladen</translation>
        </message>
        <message>
            <source>Its page and other sizes</source>
            <translation>Andere Größen</translation>
        </message>
        <message>
            <source>Offline: {reason} What is on this disk works.</source>
            <translation>Offline: {reason} Was auf diesem Datenträger liegt, funktioniert.</translation>
        </message>
        <message>
            <source>Read on {day}; before one is fetched, the Hub is asked whether it still has it.</source>
            <translation>Gelesen am {day}; bevor eines geholt wird, wird der Hub gefragt, ob er es noch hat.</translation>
        </message>
        <message>
            <source>Recommended models</source>
            <translation>Empfohlene Modelle</translation>
        </message>
        <message>
            <source>The Hub has none of them any more. Search for others.</source>
            <translation>Der Hub hat keines davon mehr. Nach anderen suchen.</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>Noch einmal versuchen</translation>
        </message>
        <message>
            <source>Use this model</source>
            <translation>Dieses Modell nehmen</translation>
        </message>
    </context>
    <context>
        <name>ChatSession</name>
        <message>
            <source>This conversation went on in another window. Open it again from the list to see it; what you typed stays.</source>
            <translation>Diese Unterhaltung ging in einem anderen Fenster weiter. Öffnen Sie sie aus der Liste neu, um sie zu sehen; was Sie getippt haben, bleibt.</translation>
        </message>
    </context>
    <context>
        <name>ChatSettings</name>
        <message>
            <source>A system prompt and a sampling under a name.</source>
            <translation>Ein System-Prompt und ein Sampling unter einem Namen.</translation>
        </message>
        <message>
            <source>Close the settings of this conversation</source>
            <translation>Einstellungen dieser Unterhaltung schließen</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>Löschen</translation>
        </message>
        <message>
            <source>How the next token is chosen. What is left open is as the model's file says, else as usual.</source>
            <translation>Wie das nächste Token gewählt wird. Was offen bleibt, ist wie in der Modelldatei, sonst wie üblich.</translation>
        </message>
        <message>
            <source>How the next token is chosen. What is left open is up to the server.</source>
            <translation>Wie das nächste Token gewählt wird. Was offen bleibt, bestimmt der Server.</translation>
        </message>
        <message>
            <source>Leave all of it to the model</source>
            <translation>Alles dem Modell überlassen</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>Name</translation>
        </message>
        <message>
            <source>Name of the preset</source>
            <translation>Name der Voreinstellung</translation>
        </message>
        <message>
            <source>No system prompt</source>
            <translation>Kein System-Prompt</translation>
        </message>
        <message>
            <source>None</source>
            <translation>Keine</translation>
        </message>
        <message>
            <source>Preset</source>
            <translation>Voreinstellung</translation>
        </message>
        <message>
            <source>Sampling</source>
            <translation>Sampling</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>Sichern</translation>
        </message>
        <message>
            <source>System prompt</source>
            <translation>System-Prompt</translation>
        </message>
        <message>
            <source>This conversation</source>
            <translation>Diese Unterhaltung</translation>
        </message>
        <message>
            <source>What the model reads before everything else: who it is, how it answers. Another one is read anew.</source>
            <translation>Was das Modell vor allem anderen liest: wer es ist, wie es antwortet. Ein anderer wird neu gelesen.</translation>
        </message>
    </context>
    <context>
        <name>Chip</name>
        <message>
            <source>Remove {file}</source>
            <translation>{file} entfernen</translation>
        </message>
        <message>
            <source>Remove {file} (Delete)</source>
            <translation>{file} entfernen (Entf)</translation>
        </message>
        <message>
            <source>does not fit</source>
            <translation>passt nicht</translation>
        </message>
        <message>
            <source>reading…</source>
            <translation>wird gelesen…</translation>
        </message>
        <message>
            <source>{count} MB</source>
            <translation>{count} MB</translation>
        </message>
        <message>
            <source>{count} bytes</source>
            <translation>{count} Byte</translation>
        </message>
        <message>
            <source>{count} kB</source>
            <translation>{count} kB</translation>
        </message>
        <message>
            <source>{size} · {tokens} tokens</source>
            <translation>{size} · {tokens} Tokens</translation>
        </message>
    </context>
    <context>
        <name>Choices</name>
        <message>
            <source>&amp;Dark</source>
            <translation>&amp;Dunkel</translation>
        </message>
        <message>
            <source>&amp;Light</source>
            <translation>&amp;Hell</translation>
        </message>
        <message>
            <source>As the s&amp;ystem</source>
            <translation>Wie das S&amp;ystem</translation>
        </message>
        <message>
            <source>On: the reply appears while it is written.
Off: it appears whole at its end. The model works the same way, at the same speed.</source>
            <translation>An: Die Antwort erscheint, während sie entsteht.
Aus: Sie erscheint ganz, am Ende. Das Modell arbeitet gleich, gleich schnell.</translation>
        </message>
        <message>
            <source>S&amp;treaming</source>
            <translation>S&amp;treaming</translation>
        </message>
        <message>
            <source>Streaming</source>
            <translation>Streaming</translation>
        </message>
    </context>
    <context>
        <name>ComparisonView</name>
        <message>
            <source>Close the comparison (Esc)</source>
            <translation>Vergleich schließen (Esc)</translation>
        </message>
        <message>
            <source>Compare</source>
            <translation>Vergleichen</translation>
        </message>
        <message>
            <source>Compare past replies</source>
            <translation>Frühere vergleichen</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>Löschen</translation>
        </message>
        <message>
            <source>Delete this comparison</source>
            <translation>Diesen Vergleich löschen</translation>
        </message>
        <message>
            <source>Earlier comparisons</source>
            <translation>Frühere Vergleiche</translation>
        </message>
        <message>
            <source>Earlier comparisons ({count})</source>
            <translation>Frühere Vergleiche ({count})</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>Prompt</translation>
        </message>
        <message>
            <source>Replies of this conversation that were made with the switch on and off, by their kept figures</source>
            <translation>Antworten dieser Unterhaltung, die mit Schalter an und aus entstanden, nach ihren gesicherten Zahlen</translation>
        </message>
        <message>
            <source>Run {number} of {count}, streaming {mode}</source>
            <translation>Lauf {number} von {count}, Streaming {mode}</translation>
        </message>
        <message>
            <source>Runs of each</source>
            <translation>Läufe je Art</translation>
        </message>
        <message>
            <source>Runs of each kind</source>
            <translation>Läufe jeder Art</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>Anhalten</translation>
        </message>
        <message>
            <source>Streaming off</source>
            <translation>Streaming aus</translation>
        </message>
        <message>
            <source>Streaming on</source>
            <translation>Streaming an</translation>
        </message>
        <message>
            <source>Streaming on and off</source>
            <translation>Streaming an und aus</translation>
        </message>
        <message>
            <source>The same question is really asked both ways in turn, by the same model, with the same seed and from the same KV cache. Other requests wait meanwhile.</source>
            <translation>Dieselbe Frage wird wirklich abwechselnd auf beide Arten gestellt, demselben Modell, mit demselben Seed und aus demselben KV-Cache. Andere Anfragen warten so lange.</translation>
        </message>
        <message>
            <source>Tokens at most</source>
            <translation>Tokens höchstens</translation>
        </message>
        <message>
            <source>Tokens of each answer, at most</source>
            <translation>Tokens jeder Antwort, höchstens</translation>
        </message>
        <message>
            <source>Type a prompt, then compare.</source>
            <translation>Einen Prompt tippen, dann vergleichen.</translation>
        </message>
        <message>
            <source>Waiting for its turn</source>
            <translation>Wartet, bis es an der Reihe ist</translation>
        </message>
        <message>
            <source>Warming up; this run is not counted</source>
            <translation>Aufwärmen; dieser Lauf zählt nicht</translation>
        </message>
        <message>
            <source>off</source>
            <translation>aus</translation>
        </message>
        <message>
            <source>on</source>
            <translation>an</translation>
        </message>
        <message>
            <source>{seconds} s…</source>
            <translation>{seconds} s…</translation>
        </message>
        <message>
            <source>{tokens} tokens</source>
            <translation>{tokens} Tokens</translation>
        </message>
    </context>
    <context>
        <name>Comparisons</name>
        <message>
            <source>A comparison runs already.</source>
            <translation>Ein Vergleich läuft schon.</translation>
        </message>
        <message>
            <source>No model is open. Open one, then compare.</source>
            <translation>Kein Modell ist offen. Eines öffnen, dann vergleichen.</translation>
        </message>
        <message>
            <source>Streaming is compared with a model of this machine. A server keeps its own time.</source>
            <translation>Streaming wird mit einem Modell dieses Rechners verglichen. Ein Server hat seine eigene Zeit.</translation>
        </message>
        <message>
            <source>There is nothing to compare yet: this conversation has no replies made both ways, with streaming on and off. Ask again with the switch the other way.</source>
            <translation>Noch gibt es nichts zu vergleichen: Diese Unterhaltung hat keine Antworten beider Art, mit Streaming an und aus. Mit umgelegtem Schalter noch einmal fragen.</translation>
        </message>
        <message>
            <source>This comparison cannot be read.</source>
            <translation>Dieser Vergleich lässt sich nicht lesen.</translation>
        </message>
    </context>
    <context>
        <name>Composer</name>
        <message>
            <source>Attach files</source>
            <translation>Dateien anhängen</translation>
        </message>
        <message>
            <source>Attach it instead</source>
            <translation>Lieber anhängen</translation>
        </message>
        <message>
            <source>Esc stops the reply</source>
            <translation>Esc hält die Antwort an</translation>
        </message>
        <message>
            <source>No model is open</source>
            <translation>Kein Modell ist offen</translation>
        </message>
        <message>
            <source>No model is open that could answer</source>
            <translation>Kein Modell ist offen, das antworten könnte</translation>
        </message>
        <message>
            <source>On: the model thinks before it answers, which takes longer.
Off: it answers at once.</source>
            <translation>An: Das Modell überlegt, bevor es antwortet; das dauert länger.
Aus: Es antwortet sofort.</translation>
        </message>
        <message>
            <source>Pasted {characters} characters, {lines} lines.</source>
            <translation>{characters} Zeichen eingefügt, {lines} Zeilen.</translation>
        </message>
        <message>
            <source>Send</source>
            <translation>Senden</translation>
        </message>
        <message>
            <source>Send ({key})</source>
            <translation>Senden ({key})</translation>
        </message>
        <message>
            <source>Shift+Enter for a new line</source>
            <translation>Umschalt+Enter für eine neue Zeile</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>Anhalten</translation>
        </message>
        <message>
            <source>Stop the reply (Esc)</source>
            <translation>Antwort anhalten (Esc)</translation>
        </message>
        <message>
            <source>Thinking</source>
            <translation>Überlegen</translation>
        </message>
        <message>
            <source>{needed} tokens with these files; the window holds {size}. Remove some, or take a part.</source>
            <translation>{needed} Tokens mit diesen Dateien; das Fenster fasst {size}. Einige entfernen oder einen Teil nehmen.</translation>
        </message>
    </context>
    <context>
        <name>ConversationActions</name>
        <message>
            <source>&amp;Delete</source>
            <translation>&amp;Löschen</translation>
        </message>
        <message>
            <source>&amp;Dissolve the folder, keep what is in it</source>
            <translation>Ordner au&amp;flösen, Inhalt behalten</translation>
        </message>
        <message>
            <source>&amp;Export</source>
            <translation>E&amp;xportieren</translation>
        </message>
        <message>
            <source>&amp;Move to a folder</source>
            <translation>In einen &amp;Ordner legen</translation>
        </message>
        <message>
            <source>&amp;New folder</source>
            <translation>&amp;Neuer Ordner</translation>
        </message>
        <message>
            <source>&amp;Out of its folder</source>
            <translation>Aus seinem Ordner &amp;heraus</translation>
        </message>
        <message>
            <source>&amp;Pin</source>
            <translation>&amp;Anheften</translation>
        </message>
        <message>
            <source>&amp;Rename</source>
            <translation>&amp;Umbenennen</translation>
        </message>
        <message>
            <source>&amp;Rename the folder</source>
            <translation>Ordner &amp;umbenennen</translation>
        </message>
        <message>
            <source>As &amp;JSON, with figures and branches…</source>
            <translation>Als &amp;JSON, mit Zahlen und Zweigen…</translation>
        </message>
        <message>
            <source>As &amp;Markdown…</source>
            <translation>Als &amp;Markdown…</translation>
        </message>
        <message>
            <source>D&amp;uplicate</source>
            <translation>Ver&amp;doppeln</translation>
        </message>
        <message>
            <source>Un&amp;pin</source>
            <translation>&amp;Ablösen</translation>
        </message>
    </context>
    <context>
        <name>ConversationDelegate</name>
        <message>
            <source>Name of the folder</source>
            <translation>Name des Ordners</translation>
        </message>
        <message>
            <source>Title of the conversation</source>
            <translation>Titel der Unterhaltung</translation>
        </message>
    </context>
    <context>
        <name>ConversationList</name>
        <message>
            <source>1 found</source>
            <translation>1 Treffer</translation>
        </message>
        <message>
            <source>Conversations are kept here, on this machine.</source>
            <translation>Unterhaltungen werden hier aufbewahrt, auf diesem Rechner.</translation>
        </message>
        <message>
            <source>Headwater</source>
            <translation>Headwater</translation>
        </message>
        <message>
            <source>Hide the sidebar (Ctrl+B)</source>
            <translation>Seitenleiste verbergen (Strg+B)</translation>
        </message>
        <message>
            <source>New conversation (Ctrl+N)</source>
            <translation>Neue Unterhaltung (Strg+N)</translation>
        </message>
        <message>
            <source>Nothing found for “{words}”.</source>
            <translation>Nichts gefunden für „{words}“.</translation>
        </message>
        <message>
            <source>{count} found, the best first</source>
            <translation>{count} Treffer, die besten zuerst</translation>
        </message>
    </context>
    <context>
        <name>ConversationModel</name>
        <message>
            <source>April</source>
            <translation>April</translation>
        </message>
        <message>
            <source>August</source>
            <translation>August</translation>
        </message>
        <message>
            <source>December</source>
            <translation>Dezember</translation>
        </message>
        <message>
            <source>February</source>
            <translation>Februar</translation>
        </message>
        <message>
            <source>Folder {name}, {count}</source>
            <translation>Ordner {name}, {count}</translation>
        </message>
        <message>
            <source>Folder {name}, {count}, folded</source>
            <translation>Ordner {name}, {count}, zugeklappt</translation>
        </message>
        <message>
            <source>January</source>
            <translation>Januar</translation>
        </message>
        <message>
            <source>July</source>
            <translation>Juli</translation>
        </message>
        <message>
            <source>June</source>
            <translation>Juni</translation>
        </message>
        <message>
            <source>March</source>
            <translation>März</translation>
        </message>
        <message>
            <source>May</source>
            <translation>Mai</translation>
        </message>
        <message>
            <source>New conversation</source>
            <translation>Neue Unterhaltung</translation>
        </message>
        <message>
            <source>November</source>
            <translation>November</translation>
        </message>
        <message>
            <source>October</source>
            <translation>Oktober</translation>
        </message>
        <message>
            <source>Pinned</source>
            <translation>Angeheftet</translation>
        </message>
        <message>
            <source>Previous 7 days</source>
            <translation>Letzte 7 Tage</translation>
        </message>
        <message>
            <source>September</source>
            <translation>September</translation>
        </message>
        <message>
            <source>Temporary, kept nowhere</source>
            <translation>Flüchtig, nirgends gesichert</translation>
        </message>
        <message>
            <source>Today</source>
            <translation>Heute</translation>
        </message>
        <message>
            <source>Yesterday</source>
            <translation>Gestern</translation>
        </message>
        <message>
            <source>a reply is being written</source>
            <translation>eine Antwort entsteht</translation>
        </message>
        <message>
            <source>pinned</source>
            <translation>angeheftet</translation>
        </message>
        <message>
            <source>temporary, kept nowhere</source>
            <translation>flüchtig, nirgends gesichert</translation>
        </message>
        <message>
            <source>{title}
A reply is being written.</source>
            <translation>{title}
Eine Antwort entsteht.</translation>
        </message>
    </context>
    <context>
        <name>ConversationView</name>
        <message>
            <source>Conversations</source>
            <translation>Unterhaltungen</translation>
        </message>
        <message>
            <source>{count} conversations</source>
            <translation>{count} Unterhaltungen</translation>
        </message>
    </context>
    <context>
        <name>CopyButton</name>
        <message>
            <source>Copied</source>
            <translation>Kopiert</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>Kopieren</translation>
        </message>
    </context>
    <context>
        <name>CrashDialog</name>
        <message>
            <source>Copy the report</source>
            <translation>Bericht kopieren</translation>
        </message>
        <message>
            <source>Headwater</source>
            <translation>Headwater</translation>
        </message>
        <message>
            <source>Report</source>
            <translation>Bericht</translation>
        </message>
        <message>
            <source>Something went wrong inside Headwater, and it has to end. What was said so far is kept.
This report helps to repair it; it holds nothing of your conversations.</source>
            <translation>In Headwater ist etwas schiefgegangen, und es muss enden. Was bisher gesagt wurde, ist gesichert.
Dieser Bericht hilft, es zu beheben; er enthält nichts aus den Unterhaltungen.</translation>
        </message>
        <message>
            <source>Something went wrong inside Headwater. What was said so far is kept, and you can go on.
This report helps to repair it; it holds nothing of your conversations.</source>
            <translation>In Headwater ist etwas schiefgegangen. Was bisher gesagt wurde, ist gesichert, und es kann weitergehen.
Dieser Bericht hilft, es zu beheben; er enthält nichts aus den Unterhaltungen.</translation>
        </message>
    </context>
    <context>
        <name>Details</name>
        <message>
            <source>1 older message</source>
            <translation>1 ältere Nachricht</translation>
        </message>
        <message>
            <source>Decode</source>
            <translation>Decode</translation>
        </message>
        <message>
            <source>Drafts</source>
            <translation>Entwürfe</translation>
        </message>
        <message>
            <source>Ended</source>
            <translation>Ende</translation>
        </message>
        <message>
            <source>File</source>
            <translation>Datei</translation>
        </message>
        <message>
            <source>First token after</source>
            <translation>Erstes Token nach</translation>
        </message>
        <message>
            <source>From the KV cache</source>
            <translation>Aus dem KV-Cache</translation>
        </message>
        <message>
            <source>In all</source>
            <translation>Insgesamt</translation>
        </message>
        <message>
            <source>Left out</source>
            <translation>Weggelassen</translation>
        </message>
        <message>
            <source>Loading the model</source>
            <translation>Laden des Modells</translation>
        </message>
        <message>
            <source>Model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <source>Prefill</source>
            <translation>Prefill</translation>
        </message>
        <message>
            <source>Reading began</source>
            <translation>Lesen begann</translation>
        </message>
        <message>
            <source>Server</source>
            <translation>Server</translation>
        </message>
        <message>
            <source>Shown</source>
            <translation>Gezeigt</translation>
        </message>
        <message>
            <source>Time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>Tokens read</source>
            <translation>Gelesene Tokens</translation>
        </message>
        <message>
            <source>Tokens written</source>
            <translation>Geschriebene Tokens</translation>
        </message>
        <message>
            <source>Waited</source>
            <translation>Gewartet</translation>
        </message>
        <message>
            <source>at the length asked for</source>
            <translation>bei der verlangten Länge</translation>
        </message>
        <message>
            <source>by the model</source>
            <translation>durch das Modell</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>gescheitert</translation>
        </message>
        <message>
            <source>interrupted: Headwater closed meanwhile</source>
            <translation>unterbrochen: Headwater wurde währenddessen beendet</translation>
        </message>
        <message>
            <source>of which cached</source>
            <translation>davon gecacht</translation>
        </message>
        <message>
            <source>stopped by you</source>
            <translation>von Ihnen angehalten</translation>
        </message>
        <message>
            <source>while it was written</source>
            <translation>während sie entstand</translation>
        </message>
        <message>
            <source>whole, at its end</source>
            <translation>ganz, am Ende</translation>
        </message>
        <message>
            <source>with the context window full</source>
            <translation>mit vollem Kontextfenster</translation>
        </message>
        <message>
            <source>written over by you</source>
            <translation>von Ihnen überschrieben</translation>
        </message>
        <message>
            <source>{accepted} of {drafted} tokens taken</source>
            <translation>{accepted} von {drafted} Tokens übernommen</translation>
        </message>
        <message>
            <source>{count} older messages</source>
            <translation>{count} ältere Nachrichten</translation>
        </message>
        <message>
            <source>{read} tokens read, {written} written</source>
            <translation>{read} Tokens gelesen, {written} geschrieben</translation>
        </message>
        <message>
            <source>{seconds} s</source>
            <translation>{seconds} s</translation>
        </message>
        <message>
            <source>{seconds} s, {rate} tok/s</source>
            <translation>{seconds} s, {rate} Tok/s</translation>
        </message>
        <message>
            <source>{tokens}, {reasoning} of them reasoning</source>
            <translation>{tokens}, davon {reasoning} Überlegung</translation>
        </message>
    </context>
    <context>
        <name>DetailsPanel</name>
        <message>
            <source>Close the details</source>
            <translation>Einzelheiten schließen</translation>
        </message>
        <message>
            <source>Details</source>
            <translation>Einzelheiten</translation>
        </message>
    </context>
    <context>
        <name>DownloadPage</name>
        <message>
            <source>A new download waits until Resume is pressed, and none goes on by itself after a start.</source>
            <translation>Ein neuer Download wartet auf „Fortsetzen“, und nach einem Start geht keiner von selbst weiter.</translation>
        </message>
        <message>
            <source>Downloads</source>
            <translation>Downloads</translation>
        </message>
        <message>
            <source>It goes on by itself when that is over.</source>
            <translation>Danach geht es von selbst weiter.</translation>
        </message>
        <message>
            <source>Nothing is being downloaded.</source>
            <translation>Nichts wird heruntergeladen.</translation>
        </message>
        <message>
            <source>One after another. Each goes on where it was, also after a restart.</source>
            <translation>Einer nach dem anderen. Jeder geht weiter, wo er war, auch nach einem Neustart.</translation>
        </message>
        <message>
            <source>Only when I say</source>
            <translation>Nur auf Zuruf</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>Anhalten</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Entfernen</translation>
        </message>
        <message>
            <source>Resume</source>
            <translation>Fortsetzen</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>Noch einmal versuchen</translation>
        </message>
        <message>
            <source>Use this model</source>
            <translation>Dieses Modell nehmen</translation>
        </message>
    </context>
    <context>
        <name>DraftAttachments</name>
        <message>
            <source>Up to {count} files go along at once.</source>
            <translation>Höchstens {count} Dateien gehen auf einmal mit.</translation>
        </message>
    </context>
    <context>
        <name>EditingActions</name>
        <message>
            <source>&amp;Copy</source>
            <translation>&amp;Kopieren</translation>
        </message>
        <message>
            <source>&amp;Undo</source>
            <translation>Rück&amp;gängig</translation>
        </message>
    </context>
    <context>
        <name>EmptyState</name>
        <message>
            <source>A server answers, and what you write is sent there. Good for drafting, explaining and rewriting; check what matters, as with every language model.</source>
            <translation>Ein Server antwortet, und was Sie schreiben, wird dorthin gesendet. Gut zum Entwerfen, Erklären und Umschreiben; prüfen Sie, worauf es ankommt, wie bei jedem Sprachmodell.</translation>
        </message>
        <message>
            <source>Answers from {server}</source>
            <translation>Antwortet von {server}</translation>
        </message>
        <message>
            <source>Answers from {server}, a window of {context} tokens</source>
            <translation>Antwortet von {server}, Fenster von {context} Tokens</translation>
        </message>
        <message>
            <source>Asks both ways in turn: {prompt}</source>
            <translation>Fragt abwechselnd auf beide Arten: {prompt}</translation>
        </message>
        <message>
            <source>Compare streaming on and off</source>
            <translation>Streaming an und aus vergleichen</translation>
        </message>
        <message>
            <source>Draft a friendly note that moves our meeting from Tuesday to Thursday.</source>
            <translation>Entwirf eine freundliche Nachricht, die unser Treffen von Dienstag auf Donnerstag verlegt.</translation>
        </message>
        <message>
            <source>Explain KV caching in one sentence.</source>
            <translation>Explain KV caching in one sentence.</translation>
        </message>
        <message>
            <source>Explain in one sentence what a KV cache saves.</source>
            <translation>Erkläre in einem Satz, was ein KV-Cache spart.</translation>
        </message>
        <message>
            <source>Find a model</source>
            <translation>Modell suchen</translation>
        </message>
        <message>
            <source>Get a larger model</source>
            <translation>Ein größeres Modell holen</translation>
        </message>
        <message>
            <source>Headwater runs language models on your own machine. Open a model file (.gguf), or drop one here.</source>
            <translation>Headwater führt Sprachmodelle auf dem eigenen Rechner aus. Eine Modelldatei (.gguf) öffnen oder hierher ziehen.</translation>
        </message>
        <message>
            <source>It cannot answer now.</source>
            <translation>Es kann jetzt nicht antworten.</translation>
        </message>
        <message>
            <source>It runs on this machine, and what you write stays here. Good for drafting, explaining and rewriting; check what matters, as with every language model.</source>
            <translation>Es läuft auf diesem Rechner, und was Sie schreiben, bleibt hier. Gut zum Entwerfen, Erklären und Umschreiben; prüfen Sie, worauf es ankommt, wie bei jedem Sprachmodell.</translation>
        </message>
        <message>
            <source>No model yet</source>
            <translation>Noch kein Modell</translation>
        </message>
        <message>
            <source>Open a model file…</source>
            <translation>Modelldatei öffnen…</translation>
        </message>
        <message>
            <source>Tell me a long story about a lighthouse keeper and a lost boat.</source>
            <translation>Tell me a long story about a lighthouse keeper and a lost boat.</translation>
        </message>
        <message>
            <source>The small model that comes with Headwater: good for trying how fast this machine reads and writes, and for playing with words. Not for facts: it is often wrong, and sounds sure.</source>
            <translation>Das kleine Modell, das mit Headwater kommt: gut, um zu erproben, wie schnell dieser Rechner liest und schreibt, und um mit Worten zu spielen, am besten englischen. Nicht für Fakten: Es irrt oft und klingt dabei sicher.</translation>
        </message>
        <message>
            <source>What should I know before I read about how language models choose the next word?</source>
            <translation>Was sollte ich wissen, bevor ich lese, wie Sprachmodelle das nächste Wort wählen?</translation>
        </message>
        <message>
            <source>Write a short poem about a river that begins in the hills.</source>
            <translation>Write a short poem about a river that begins in the hills.</translation>
        </message>
        <message>
            <source>{parameters} parameters, {quantisation}, a window of {context} tokens</source>
            <translation>{parameters} Parameter, {quantisation}, Fenster von {context} Tokens</translation>
        </message>
    </context>
    <context>
        <name>ExportButton</name>
        <message>
            <source>&amp;Copy as Markdown</source>
            <translation>Als Markdown &amp;kopieren</translation>
        </message>
        <message>
            <source>&amp;JSON…</source>
            <translation>&amp;JSON…</translation>
        </message>
        <message>
            <source>&amp;Markdown…</source>
            <translation>&amp;Markdown…</translation>
        </message>
        <message>
            <source>&amp;PNG, the plot…</source>
            <translation>&amp;PNG, das Bild…</translation>
        </message>
        <message>
            <source>C&amp;SV, tables and points…</source>
            <translation>C&amp;SV, Tabellen und Punkte…</translation>
        </message>
        <message>
            <source>Copied.</source>
            <translation>Kopiert.</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>Exportieren…</translation>
        </message>
        <message>
            <source>S&amp;VG, the plot…</source>
            <translation>S&amp;VG, das Bild…</translation>
        </message>
        <message>
            <source>Written: {path}</source>
            <translation>Geschrieben: {path}</translation>
        </message>
        <message>
            <source>the folder or the disk does not take it</source>
            <translation>der Ordner oder der Datenträger nimmt es nicht an</translation>
        </message>
        <message>
            <source>{path} cannot be written: {reason}.</source>
            <translation>{path} kann nicht geschrieben werden: {reason}.</translation>
        </message>
    </context>
    <context>
        <name>Figure</name>
        <message>
            <source>{name}: not known yet</source>
            <translation>{name}: noch nicht bekannt</translation>
        </message>
        <message>
            <source>{name}: {figure}</source>
            <translation>{name}: {figure}</translation>
        </message>
    </context>
    <context>
        <name>Filing</name>
        <message>
            <source>&amp;Import conversations…</source>
            <translation>Unterhaltungen &amp;importieren…</translation>
        </message>
        <message>
            <source>1 conversation came from {name}.</source>
            <translation>1 Unterhaltung kam aus {name}.</translation>
        </message>
        <message>
            <source>Conversations</source>
            <translation>Unterhaltungen</translation>
        </message>
        <message>
            <source>Left out: {what}.</source>
            <translation>Weggelassen: {what}.</translation>
        </message>
        <message>
            <source>Saved as {path}.</source>
            <translation>Gesichert als {path}.</translation>
        </message>
        <message>
            <source>conversations without a message that can be read ({count})</source>
            <translation>Unterhaltungen ohne lesbare Nachricht ({count})</translation>
        </message>
        <message>
            <source>files whose text is not in there ({count})</source>
            <translation>Dateien, deren Text nicht dabei ist ({count})</translation>
        </message>
        <message>
            <source>images ({count})</source>
            <translation>Bilder ({count})</translation>
        </message>
        <message>
            <source>instructions between messages ({count})</source>
            <translation>Anweisungen zwischen Nachrichten ({count})</translation>
        </message>
        <message>
            <source>messages longer than a book ({count})</source>
            <translation>Nachrichten, länger als ein Buch ({count})</translation>
        </message>
        <message>
            <source>messages of unknown speakers ({count})</source>
            <translation>Nachrichten unbekannter Sprecher ({count})</translation>
        </message>
        <message>
            <source>messages that cannot be read ({count})</source>
            <translation>Nachrichten, die sich nicht lesen lassen ({count})</translation>
        </message>
        <message>
            <source>sound and video ({count})</source>
            <translation>Ton und Video ({count})</translation>
        </message>
        <message>
            <source>what tools were asked and answered ({count})</source>
            <translation>was Werkzeuge gefragt wurden und antworteten ({count})</translation>
        </message>
        <message>
            <source>{count} conversations came from {name}.</source>
            <translation>{count} Unterhaltungen kamen aus {name}.</translation>
        </message>
    </context>
    <context>
        <name>FindBar</name>
        <message>
            <source>Close (Esc)</source>
            <translation>Schließen (Esc)</translation>
        </message>
        <message>
            <source>Find</source>
            <translation>Suchen</translation>
        </message>
        <message>
            <source>Find in this conversation</source>
            <translation>In dieser Unterhaltung suchen</translation>
        </message>
        <message>
            <source>Next hit (F3)</source>
            <translation>Nächster Treffer (F3)</translation>
        </message>
        <message>
            <source>Not found</source>
            <translation>Nicht gefunden</translation>
        </message>
        <message>
            <source>Previous hit (Shift+F3)</source>
            <translation>Voriger Treffer (Umschalt+F3)</translation>
        </message>
        <message>
            <source>{number} of {total}</source>
            <translation>{number} von {total}</translation>
        </message>
        <message>
            <source>{total}+</source>
            <translation>{total}+</translation>
        </message>
    </context>
    <context>
        <name>Findings</name>
        <message>
            <source>Plot</source>
            <translation>Bild</translation>
        </message>
        <message>
            <source>Table</source>
            <translation>Tabelle</translation>
        </message>
    </context>
    <context>
        <name>FitPanel</name>
        <message>
            <source>A smaller window needs less.</source>
            <translation>Ein kleineres Fenster braucht weniger.</translation>
        </message>
        <message>
            <source>Context window</source>
            <translation>Kontextfenster</translation>
        </message>
        <message>
            <source>Fits.</source>
            <translation>Passt.</translation>
        </message>
        <message>
            <source>Fits. This was loaded here before: these are its real sizes.</source>
            <translation>Passt. Es wurde hier schon geladen: Dies sind die wirklichen Größen.</translation>
        </message>
        <message>
            <source>Its weights alone are too large; a smaller quantisation of it may fit.</source>
            <translation>Schon die Gewichte sind zu groß; eine kleinere Quantisierung passt vielleicht.</translation>
        </message>
        <message>
            <source>{count} tokens</source>
            <translation>{count} Tokens</translation>
        </message>
        <message>
            <source>{missing} more than there is: the system would swap, or read the file again and again.</source>
            <translation>{missing} mehr als da ist: Das System würde auslagern oder die Datei immer wieder lesen.</translation>
        </message>
    </context>
    <context>
        <name>FoldButton</name>
        <message>
            <source>Hide the reasoning</source>
            <translation>Überlegung verbergen</translation>
        </message>
        <message>
            <source>Show the reasoning</source>
            <translation>Überlegung zeigen</translation>
        </message>
    </context>
    <context>
        <name>Header</name>
        <message>
            <source>New conversation (Ctrl+N)</source>
            <translation>Neue Unterhaltung (Strg+N)</translation>
        </message>
        <message>
            <source>Show the sidebar (Ctrl+B)</source>
            <translation>Seitenleiste zeigen (Strg+B)</translation>
        </message>
    </context>
    <context>
        <name>Housekeeping</name>
        <message>
            <source>&amp;Search all conversations</source>
            <translation>Alle Unterhaltungen durch&amp;suchen</translation>
        </message>
        <message>
            <source>Deleted {count} conversations.</source>
            <translation>{count} Unterhaltungen gelöscht.</translation>
        </message>
        <message>
            <source>Deleted “{title}”.</source>
            <translation>„{title}“ gelöscht.</translation>
        </message>
        <message>
            <source>Ne&amp;xt conversation</source>
            <translation>Nä&amp;chste Unterhaltung</translation>
        </message>
        <message>
            <source>New &amp;temporary chat</source>
            <translation>Neuer flüchtiger &amp;Chat</translation>
        </message>
        <message>
            <source>New folder</source>
            <translation>Neuer Ordner</translation>
        </message>
        <message>
            <source>Pre&amp;vious conversation</source>
            <translation>&amp;Vorige Unterhaltung</translation>
        </message>
        <message>
            <source>The folder “{name}” is gone, what was in it is not.</source>
            <translation>Der Ordner „{name}“ ist weg, sein Inhalt nicht.</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>Rückgängig</translation>
        </message>
    </context>
    <context>
        <name>HubPage</name>
        <message>
            <source>A token is kept where other keys are, and sent to the Hub only.</source>
            <translation>Ein Token wird bei den anderen Schlüsseln verwahrt und nur an den Hub gesendet.</translation>
        </message>
        <message>
            <source>Access token</source>
            <translation>Zugangstoken</translation>
        </message>
        <message>
            <source>Asking for {repo}</source>
            <translation>{repo} wird abgefragt</translation>
        </message>
        <message>
            <source>Enter opens one. Only repositories with GGUF files are listed.</source>
            <translation>Enter öffnet eines. Nur Repositorys mit GGUF-Dateien werden gezeigt.</translation>
        </message>
        <message>
            <source>Most downloads</source>
            <translation>Meiste Downloads</translation>
        </message>
        <message>
            <source>Most likes</source>
            <translation>Beliebteste</translation>
        </message>
        <message>
            <source>Newest</source>
            <translation>Neueste</translation>
        </message>
        <message>
            <source>Nothing was found for “{words}”.</source>
            <translation>Nichts gefunden zu „{words}“.</translation>
        </message>
        <message>
            <source>Offline: {reason} What is on this disk works.</source>
            <translation>Offline: {reason} Was auf diesem Datenträger liegt, funktioniert.</translation>
        </message>
        <message>
            <source>Repositories that were found</source>
            <translation>Gefundene Repositorys</translation>
        </message>
        <message>
            <source>Search the Hub</source>
            <translation>Den Hub durchsuchen</translation>
        </message>
        <message>
            <source>Searching</source>
            <translation>Wird gesucht</translation>
        </message>
        <message>
            <source>Sorted by</source>
            <translation>Sortiert nach</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>Noch einmal versuchen</translation>
        </message>
        <message>
            <source>Use this token</source>
            <translation>Dieses Token verwenden</translation>
        </message>
        <message>
            <source>Words, a name or an address</source>
            <translation>Wörter, Name oder Adresse</translation>
        </message>
        <message>
            <source>hf_…</source>
            <translation>hf_…</translation>
        </message>
        <message>
            <source>{repo} is gated: accept its terms on its page, then use an access token of the account that did. It is kept where other keys are, and sent to the Hub only.</source>
            <translation>{repo} ist zugangsbeschränkt: Auf seiner Seite die Bedingungen annehmen, dann ein Zugangstoken dieses Kontos verwenden. Es wird bei den anderen Schlüsseln verwahrt und nur an den Hub gesendet.</translation>
        </message>
    </context>
    <context>
        <name>Insights</name>
        <message>
            <source>&amp;Compare streaming on and off</source>
            <translation>Streaming an und aus &amp;vergleichen</translation>
        </message>
        <message>
            <source>&amp;Inference</source>
            <translation>&amp;Inferenz</translation>
        </message>
        <message>
            <source>&amp;Inspector</source>
            <translation>&amp;Inspektor</translation>
        </message>
        <message>
            <source>&amp;Lab</source>
            <translation>&amp;Labor</translation>
        </message>
        <message>
            <source>Compare streaming on and off (Ctrl+Shift+Enter)</source>
            <translation>Streaming an und aus vergleichen (Strg+Umschalt+Enter)</translation>
        </message>
        <message>
            <source>Inspector (Ctrl+I)</source>
            <translation>Inspektor (Strg+I)</translation>
        </message>
        <message>
            <source>Lab (Ctrl+Shift+L)</source>
            <translation>Labor (Strg+Umschalt+L)</translation>
        </message>
        <message>
            <source>Waiting for the Lab to end; Esc withdraws this</source>
            <translation>Wartet auf das Ende im Labor; Esc zieht dies zurück</translation>
        </message>
        <message>
            <source>Waiting for the comparison to end; Esc withdraws this</source>
            <translation>Wartet auf das Ende des Vergleichs; Esc zieht dies zurück</translation>
        </message>
    </context>
    <context>
        <name>Inspector</name>
        <message>
            <source>About {cost}: an estimate at the prices above, which you entered.</source>
            <translation>Etwa {cost}: geschätzt zu den Preisen oben, die Sie eingegeben haben.</translation>
        </message>
        <message>
            <source>At the server</source>
            <translation>Beim Server</translation>
        </message>
        <message>
            <source>Being written: {count} tokens</source>
            <translation>Entsteht: {count} Tokens</translation>
        </message>
        <message>
            <source>Cached input</source>
            <translation>Gecachte Eingabe</translation>
        </message>
        <message>
            <source>Close the Inspector (Ctrl+I)</source>
            <translation>Inspektor schließen (Strg+I)</translation>
        </message>
        <message>
            <source>Computed for models on the CPU: the memory of a GPU is not measured.</source>
            <translation>Für Modelle auf der CPU berechnet: Der Speicher einer GPU wird nicht gemessen.</translation>
        </message>
        <message>
            <source>Copy all</source>
            <translation>Alles kopieren</translation>
        </message>
        <message>
            <source>Currency</source>
            <translation>Währung</translation>
        </message>
        <message>
            <source>Decode</source>
            <translation>Decode</translation>
        </message>
        <message>
            <source>EUR</source>
            <translation>EUR</translation>
        </message>
        <message>
            <source>Enter prices per million tokens to see what the same tokens would cost elsewhere.</source>
            <translation>Preise je Million Tokens eingeben, um zu sehen, was dieselben Tokens anderswo kosten würden.</translation>
        </message>
        <message>
            <source>Every token</source>
            <translation>Jedes Token</translation>
        </message>
        <message>
            <source>Finishing</source>
            <translation>Abschluss</translation>
        </message>
        <message>
            <source>First sample</source>
            <translation>Erste Auswahl</translation>
        </message>
        <message>
            <source>From token to token: median {median}, 95th percentile {p95}, {count} gaps.</source>
            <translation>Von Token zu Token: Median {median}, 95. Perzentil {p95}, {count} Abstände.</translation>
        </message>
        <message>
            <source>Hide the tokens</source>
            <translation>Tokens verbergen</translation>
        </message>
        <message>
            <source>Id</source>
            <translation>Id</translation>
        </message>
        <message>
            <source>Input</source>
            <translation>Eingabe</translation>
        </message>
        <message>
            <source>Input {input} tokens, of which cached {cached}; output {output}; in all {total}.</source>
            <translation>Eingabe {input} Tokens, davon gecacht {cached}; Ausgabe {output}; insgesamt {total}.</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>Inspektor</translation>
        </message>
        <message>
            <source>Instead of it</source>
            <translation>Stattdessen</translation>
        </message>
        <message>
            <source>Known for replies of the model that is loaded now.</source>
            <translation>Bekannt für Antworten des Modells, das jetzt geladen ist.</translation>
        </message>
        <message>
            <source>Loading the model</source>
            <translation>Laden des Modells</translation>
        </message>
        <message>
            <source>Measure the memory</source>
            <translation>Speicher messen</translation>
        </message>
        <message>
            <source>Measured here, from text to text: the server does not say.</source>
            <translation>Hier gemessen, von Text zu Text: Der Server sagt es nicht.</translation>
        </message>
        <message>
            <source>New message</source>
            <translation>Neue Nachricht</translation>
        </message>
        <message>
            <source>Newest reply</source>
            <translation>Neueste</translation>
        </message>
        <message>
            <source>No reply yet. Its phases will be seen here while it is written.</source>
            <translation>Noch keine Antwort. Ihre Phasen sind hier zu sehen, während sie entsteht.</translation>
        </message>
        <message>
            <source>No.</source>
            <translation>Nr.</translation>
        </message>
        <message>
            <source>None took more than three times the median.</source>
            <translation>Keines brauchte mehr als das Dreifache des Medians.</translation>
        </message>
        <message>
            <source>Not known for this reply.</source>
            <translation>Für diese Antwort nicht bekannt.</translation>
        </message>
        <message>
            <source>Of the replies to come, what else each token might have been. Takes a while for each token.</source>
            <translation>Bei künftigen Antworten, was jedes Token sonst hätte sein können. Kostet bei jedem Token Zeit.</translation>
        </message>
        <message>
            <source>One token moves {megabytes} MB</source>
            <translation>Ein Token bewegt {megabytes} MB</translation>
        </message>
        <message>
            <source>Output</source>
            <translation>Ausgabe</translation>
        </message>
        <message>
            <source>Phases</source>
            <translation>Phasen</translation>
        </message>
        <message>
            <source>Prefill</source>
            <translation>Prefill</translation>
        </message>
        <message>
            <source>Preparing</source>
            <translation>Vorbereiten</translation>
        </message>
        <message>
            <source>Probability</source>
            <translation>Wahrscheinlichkeit</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>Prompt</translation>
        </message>
        <message>
            <source>Record probabilities</source>
            <translation>Wahrscheinlichkeiten merken</translation>
        </message>
        <message>
            <source>Reply</source>
            <translation>Antwort</translation>
        </message>
        <message>
            <source>Reply {number}: {words}</source>
            <translation>Antwort {number}: {words}</translation>
        </message>
        <message>
            <source>Share of this machine's limit</source>
            <translation>Anteil an der Grenze dieses Rechners</translation>
        </message>
        <message>
            <source>Show every token</source>
            <translation>Jedes Token zeigen</translation>
        </message>
        <message>
            <source>System prompt</source>
            <translation>System-Prompt</translation>
        </message>
        <message>
            <source>Text</source>
            <translation>Text</translation>
        </message>
        <message>
            <source>Time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>Time for each token</source>
            <translation>Zeit für jedes Token</translation>
        </message>
        <message>
            <source>Time for each token, as it comes</source>
            <translation>Zeit für jedes Token, wie es kommt</translation>
        </message>
        <message>
            <source>Token by token</source>
            <translation>Token für Token</translation>
        </message>
        <message>
            <source>Token {number}{text} took {seconds}, {times} times the median.</source>
            <translation>Token {number}{text} brauchte {seconds}, das {times}-Fache des Medians.</translation>
        </message>
        <message>
            <source>Turn</source>
            <translation>Beitrag</translation>
        </message>
        <message>
            <source>Usage</source>
            <translation>Verbrauch</translation>
        </message>
        <message>
            <source>Waiting</source>
            <translation>Warten</translation>
        </message>
        <message>
            <source>What the same tokens would cost, at prices per million tokens that you enter:</source>
            <translation>Was dieselben Tokens kosten würden, zu Preisen je Million Tokens, die Sie eingeben:</translation>
        </message>
        <message>
            <source>not known</source>
            <translation>nicht bekannt</translation>
        </message>
        <message>
            <source>time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>to be read</source>
            <translation>noch zu lesen</translation>
        </message>
        <message>
            <source>token</source>
            <translation>Token</translation>
        </message>
        <message>
            <source>{block} with {files}</source>
            <translation>{block} mit {files}</translation>
        </message>
        <message>
            <source>{block}: {cached} cached, {read} read</source>
            <translation>{block}: {cached} gecacht, {read} gelesen</translation>
        </message>
        <message>
            <source>{block}: {count} tokens cached</source>
            <translation>{block}: {count} Tokens gecacht</translation>
        </message>
        <message>
            <source>{block}: {count} tokens read</source>
            <translation>{block}: {count} Tokens gelesen</translation>
        </message>
        <message>
            <source>{count} tokens cached</source>
            <translation>{count} Tokens gecacht</translation>
        </message>
        <message>
            <source>{count} tokens read</source>
            <translation>{count} Tokens gelesen</translation>
        </message>
        <message>
            <source>{each}. Measure the memory to see the share.</source>
            <translation>{each}. Den Speicher messen, um den Anteil zu sehen.</translation>
        </message>
        <message>
            <source>{each}; at {rate} tok/s that is {used} GB/s of {best} GB/s measured: {share} % of the limit.
{method}</source>
            <translation>{each}; bei {rate} Tok/s sind das {used} GB/s von gemessenen {best} GB/s: {share} % der Grenze.
{method}</translation>
        </message>
        <message>
            <source>{kind} “{preview}”</source>
            <translation>{kind} „{preview}“</translation>
        </message>
        <message>
            <source>{phase}: {seconds}, {share} %</source>
            <translation>{phase}: {seconds}, {share} %</translation>
        </message>
    </context>
    <context>
        <name>LabRuns</name>
        <message>
            <source>Experiments run with a model of this machine. Choose one, then run the experiment.</source>
            <translation>Experimente laufen mit einem Modell dieses Rechners. Eines wählen, dann das Experiment starten.</translation>
        </message>
        <message>
            <source>No model is open. Open one, then run the experiment.</source>
            <translation>Kein Modell ist offen. Eines öffnen, dann das Experiment starten.</translation>
        </message>
        <message>
            <source>Something is measured already.</source>
            <translation>Es wird schon etwas gemessen.</translation>
        </message>
    </context>
    <context>
        <name>LabView</name>
        <message>
            <source>Close the Lab (Esc)</source>
            <translation>Labor schließen (Esc)</translation>
        </message>
        <message>
            <source>Experiment</source>
            <translation>Experiment</translation>
        </message>
        <message>
            <source>Fewer rounds and shorter texts: faster, with less certainty</source>
            <translation>Weniger Durchgänge und kürzere Texte: schneller, mit weniger Gewissheit</translation>
        </message>
        <message>
            <source>Lab</source>
            <translation>Labor</translation>
        </message>
        <message>
            <source>Progress</source>
            <translation>Fortschritt</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>Starten</translation>
        </message>
        <message>
            <source>Short form</source>
            <translation>Kurzform</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>Anhalten</translation>
        </message>
        <message>
            <source>Stopping</source>
            <translation>Hält an</translation>
        </message>
        <message>
            <source>Waiting for its turn</source>
            <translation>Wartet, bis es an der Reihe ist</translation>
        </message>
    </context>
    <context>
        <name>LatestPill</name>
        <message>
            <source>Go to the latest text</source>
            <translation>Zum neuesten Text</translation>
        </message>
        <message>
            <source>Latest</source>
            <translation>Neuestes</translation>
        </message>
    </context>
    <context>
        <name>Library</name>
        <message>
            <source>{file} cannot be written: {reason}.</source>
            <translation>{file} kann nicht geschrieben werden: {reason}.</translation>
        </message>
        <message>
            <source>{title} (copy)</source>
            <translation>{title} (Kopie)</translation>
        </message>
    </context>
    <context>
        <name>LinkOffer</name>
        <message>
            <source>Open it</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <source>The link leads to {address}</source>
            <translation>Der Link führt zu {address}</translation>
        </message>
        <message>
            <source>This link is not opened: {address}</source>
            <translation>Dieser Link wird nicht geöffnet: {address}</translation>
        </message>
    </context>
    <context>
        <name>MessageControls</name>
        <message>
            <source>Branch {number} of {count}</source>
            <translation>Zweig {number} von {count}</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>Kopieren</translation>
        </message>
        <message>
            <source>Edit</source>
            <translation>Bearbeiten</translation>
        </message>
        <message>
            <source>More</source>
            <translation>Mehr</translation>
        </message>
        <message>
            <source>Regenerate</source>
            <translation>Neu erzeugen</translation>
        </message>
        <message>
            <source>The branch before</source>
            <translation>Voriger Zweig</translation>
        </message>
        <message>
            <source>The next branch</source>
            <translation>Nächster Zweig</translation>
        </message>
        <message>
            <source>{action}, {number} of {count}</source>
            <translation>{action}, {number} von {count}</translation>
        </message>
        <message>
            <source>{action}: message of {name}</source>
            <translation>{action}: Nachricht ({name})</translation>
        </message>
    </context>
    <context>
        <name>MessageEditor</name>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Ctrl+Enter saves, Escape leaves it as it was</source>
            <translation>Strg+Enter sichert, Esc lässt es, wie es war</translation>
        </message>
        <message>
            <source>Edit the message</source>
            <translation>Nachricht bearbeiten</translation>
        </message>
        <message>
            <source>Edit the reply</source>
            <translation>Antwort bearbeiten</translation>
        </message>
        <message>
            <source>Enter sends, Shift+Enter begins a new line, Escape leaves it as it was</source>
            <translation>Enter sendet, Umschalt+Enter beginnt eine neue Zeile, Esc lässt es, wie es war</translation>
        </message>
        <message>
            <source>Possible when the reply has ended</source>
            <translation>Möglich, wenn die Antwort fertig ist</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>Sichern</translation>
        </message>
        <message>
            <source>Send</source>
            <translation>Senden</translation>
        </message>
    </context>
    <context>
        <name>MessageMenus</name>
        <message>
            <source>Copy</source>
            <translation>Kopieren</translation>
        </message>
        <message>
            <source>Copy as Markdown (Ctrl+Shift+C)</source>
            <translation>Als Markdown kopieren (Strg+Umschalt+C)</translation>
        </message>
        <message>
            <source>Copy link address</source>
            <translation>Linkadresse kopieren</translation>
        </message>
        <message>
            <source>Copy message as Markdown</source>
            <translation>Nachricht als Markdown kopieren</translation>
        </message>
        <message>
            <source>Copy message as text</source>
            <translation>Nachricht als Text kopieren</translation>
        </message>
        <message>
            <source>Select all</source>
            <translation>Alles auswählen</translation>
        </message>
    </context>
    <context>
        <name>ModelBrowser</name>
        <message>
            <source>Close the models (Esc)</source>
            <translation>Modelle schließen (Esc)</translation>
        </message>
        <message>
            <source>Downloads</source>
            <translation>Downloads</translation>
        </message>
        <message>
            <source>Here</source>
            <translation>Hier</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>Modelle</translation>
        </message>
        <message>
            <source>Recommended</source>
            <translation>Empfohlen</translation>
        </message>
        <message>
            <source>Search</source>
            <translation>Suchen</translation>
        </message>
    </context>
    <context>
        <name>ModelNotices</name>
        <message>
            <source>Change the key…</source>
            <translation>Schlüssel ändern…</translation>
        </message>
        <message>
            <source>No model is open, so nothing was sent. Open one, then send again.</source>
            <translation>Kein Modell ist offen, darum wurde nichts gesendet. Eines öffnen, dann noch einmal senden.</translation>
        </message>
        <message>
            <source>Open a model file…</source>
            <translation>Modelldatei öffnen…</translation>
        </message>
        <message>
            <source>Open another…</source>
            <translation>Anderes öffnen…</translation>
        </message>
        <message>
            <source>Run it on the CPU</source>
            <translation>Auf der CPU ausführen</translation>
        </message>
        <message>
            <source>Run it on what is here</source>
            <translation>Auf dem ausführen, was da ist</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>Noch einmal versuchen</translation>
        </message>
        <message>
            <source>Use a window of {count} tokens</source>
            <translation>Fenster von {count} Tokens nehmen</translation>
        </message>
        <message>
            <source>{model} has no chat template of its own. A plain one ({template}) stands in; replies may ramble.</source>
            <translation>{model} hat keine eigene Chat-Vorlage. Eine einfache ({template}) springt ein; Antworten können abschweifen.</translation>
        </message>
        <message>
            <source>{model} is no longer at {path}. {other} answers instead.</source>
            <translation>{model} liegt nicht mehr unter {path}. {other} antwortet stattdessen.</translation>
        </message>
    </context>
    <context>
        <name>ModelOpening</name>
        <message>
            <source>&amp;Connect to a server…</source>
            <translation>Mit einem Server &amp;verbinden…</translation>
        </message>
        <message>
            <source>&amp;Eject the model</source>
            <translation>Modell aus&amp;werfen</translation>
        </message>
        <message>
            <source>&amp;Open a model file…</source>
            <translation>Modelldatei ö&amp;ffnen…</translation>
        </message>
        <message>
            <source>{name} is not a model file. Headwater opens files that end in .gguf.</source>
            <translation>{name} ist keine Modelldatei. Headwater öffnet Dateien, die auf .gguf enden.</translation>
        </message>
    </context>
    <context>
        <name>ModelPicker</name>
        <message>
            <source>A window of {context} tokens</source>
            <translation>Fenster von {context} Tokens</translation>
        </message>
        <message>
            <source>Asking the server at {server}. You can type and send meanwhile.</source>
            <translation>Fragt den Server {server}. Tippen und Senden geht schon.</translation>
        </message>
        <message>
            <source>Chat template: none in the file; a plain one stands in for it ({name})</source>
            <translation>Chat-Vorlage: keine in der Datei; eine einfache springt ein ({name})</translation>
        </message>
        <message>
            <source>Chat template: the model's own</source>
            <translation>Chat-Vorlage: die des Modells</translation>
        </message>
        <message>
            <source>Loading, {percent}. You can type and send meanwhile.</source>
            <translation>Lädt, {percent}. Tippen und Senden geht schon.</translation>
        </message>
        <message>
            <source>Model: {name}</source>
            <translation>Modell: {name}</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>Kein Modell</translation>
        </message>
        <message>
            <source>No model is open. Choose one.</source>
            <translation>Kein Modell ist offen. Eines wählen.</translation>
        </message>
        <message>
            <source>Not in memory now; the next message loads it.</source>
            <translation>Zurzeit nicht im Speicher; die nächste Nachricht lädt es.</translation>
        </message>
        <message>
            <source>Which model answers</source>
            <translation>Welches Modell antwortet</translation>
        </message>
        <message>
            <source>answers from {server}</source>
            <translation>antwortet von {server}</translation>
        </message>
        <message>
            <source>{model} at {server}</source>
            <translation>{model} auf {server}</translation>
        </message>
        <message>
            <source>{name}
{parameters} parameters, {quantisation}, {architecture}
{size} MB, {device}</source>
            <translation>{name}
{parameters} Parameter, {quantisation}, {architecture}
{size} MB, {device}</translation>
        </message>
        <message>
            <source>{percent} %</source>
            <translation>{percent} %</translation>
        </message>
    </context>
    <context>
        <name>ModelViews</name>
        <message>
            <source>&amp;Find more models…</source>
            <translation>Mehr Modelle &amp;finden…</translation>
        </message>
        <message>
            <source>&amp;Models…</source>
            <translation>&amp;Modelle…</translation>
        </message>
        <message>
            <source>A window of {count} tokens would fit: Models, Here.</source>
            <translation>Ein Fenster von {count} Tokens würde passen: Modelle, Hier.</translation>
        </message>
        <message>
            <source>Deleted {model}, {size}.</source>
            <translation>{model} gelöscht, {size}.</translation>
        </message>
        <message>
            <source>Load it all the same</source>
            <translation>Trotzdem laden</translation>
        </message>
        <message>
            <source>Removed {model}; the {size} that were fetched go, too.</source>
            <translation>{model} entfernt; auch die {size}, die schon da waren.</translation>
        </message>
        <message>
            <source>S&amp;witch the model</source>
            <translation>Modell &amp;wechseln</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>Rückgängig</translation>
        </message>
        <message>
            <source>Use this model</source>
            <translation>Dieses Modell nehmen</translation>
        </message>
        <message>
            <source>{model} is here and whole.</source>
            <translation>{model} ist da und vollständig.</translation>
        </message>
        <message>
            <source>{model} needs {needed} with a window of {window} tokens; {free} are free. The system would swap, or read the file again and again, and it would write very slowly.</source>
            <translation>{model} braucht {needed} bei einem Fenster von {window} Tokens; {free} sind frei. Das System würde auslagern oder die Datei immer wieder lesen, und es schriebe sehr langsam.</translation>
        </message>
    </context>
    <context>
        <name>Models</name>
        <message>
            <source>1 download</source>
            <translation>1 Download</translation>
        </message>
        <message>
            <source>1 like</source>
            <translation>1 Like</translation>
        </message>
        <message>
            <source>A part of it is missing on the Hub</source>
            <translation>Auf dem Hub fehlt ein Teil</translation>
        </message>
        <message>
            <source>A projector for pictures; no model of its own</source>
            <translation>Ein Projektor für Bilder; kein eigenes Modell</translation>
        </message>
        <message>
            <source>Comes after the others</source>
            <translation>Kommt nach den anderen</translation>
        </message>
        <message>
            <source>Does not fit: needs about {needed} GB, {free} GB are free</source>
            <translation>Passt nicht: braucht etwa {needed} GB, {free} GB sind frei</translation>
        </message>
        <message>
            <source>Downloading</source>
            <translation>Wird heruntergeladen</translation>
        </message>
        <message>
            <source>Fits: {needed} of {free} GB</source>
            <translation>Passt: {needed} von {free} GB</translation>
        </message>
        <message>
            <source>Fits: {needed} of {free} GB; about {pace} words a second here</source>
            <translation>Passt: {needed} von {free} GB; hier etwa {pace} Wörter pro Sekunde</translation>
        </message>
        <message>
            <source>Headwater's folder</source>
            <translation>Headwaters Ordner</translation>
        </message>
        <message>
            <source>On this disk</source>
            <translation>Auf diesem Datenträger</translation>
        </message>
        <message>
            <source>Paused</source>
            <translation>Angehalten</translation>
        </message>
        <message>
            <source>Reading again what is here</source>
            <translation>Was hier ist, wird noch einmal gelesen</translation>
        </message>
        <message>
            <source>The Hub has it no longer</source>
            <translation>Der Hub hat es nicht mehr</translation>
        </message>
        <message>
            <source>Weights {weights} + KV cache {kv} + computing {compute} = {total}, of {free} free; {margin} are kept free</source>
            <translation>Gewichte {weights} + KV-Cache {kv} + Rechnen {compute} = {total}, von {free} freien; {margin} bleiben frei</translation>
        </message>
        <message>
            <source>Whole: its checksum is the Hub's</source>
            <translation>Vollständig: Die Prüfsumme ist die des Hubs</translation>
        </message>
        <message>
            <source>added folder</source>
            <translation>hinzugefügter Ordner</translation>
        </message>
        <message>
            <source>changed {when}</source>
            <translation>geändert {when}</translation>
        </message>
        <message>
            <source>comes with Headwater</source>
            <translation>kommt mit Headwater</translation>
        </message>
        <message>
            <source>d MMM yyyy</source>
            <translation>d. MMM yyyy</translation>
        </message>
        <message>
            <source>gated: its makers want to be asked first</source>
            <translation>zugangsbeschränkt: die Hersteller wollen gefragt werden</translation>
        </message>
        <message>
            <source>no licence named</source>
            <translation>keine Lizenz genannt</translation>
        </message>
        <message>
            <source>not made to chat</source>
            <translation>nicht zum Unterhalten gemacht</translation>
        </message>
        <message>
            <source>used {when}</source>
            <translation>verwendet {when}</translation>
        </message>
        <message>
            <source>{context} tokens</source>
            <translation>{context} Tokens</translation>
        </message>
        <message>
            <source>{count} downloads</source>
            <translation>{count} Downloads</translation>
        </message>
        <message>
            <source>{count} h</source>
            <translation>{count} h</translation>
        </message>
        <message>
            <source>{count} languages</source>
            <translation>{count} Sprachen</translation>
        </message>
        <message>
            <source>{count} likes</source>
            <translation>{count} Likes</translation>
        </message>
        <message>
            <source>{count} min</source>
            <translation>{count} min</translation>
        </message>
        <message>
            <source>{count} parts</source>
            <translation>{count} Teile</translation>
        </message>
        <message>
            <source>{count} s</source>
            <translation>{count} s</translation>
        </message>
        <message>
            <source>{rate}/s, {left} left</source>
            <translation>{rate}/s, noch {left}</translation>
        </message>
        <message>
            <source>{received} of {size}</source>
            <translation>{received} von {size}</translation>
        </message>
        <message>
            <source>{size} GB</source>
            <translation>{size} GB</translation>
        </message>
        <message>
            <source>{size} MB</source>
            <translation>{size} MB</translation>
        </message>
    </context>
    <context>
        <name>Notice</name>
        <message>
            <source>Put this notice away</source>
            <translation>Hinweis schließen</translation>
        </message>
    </context>
    <context>
        <name>Numbers</name>
        <message>
            <source>1,234.5</source>
            <translation>1.234,5</translation>
        </message>
    </context>
    <context>
        <name>Offers</name>
        <message>
            <source>Change the key…</source>
            <translation>Schlüssel ändern…</translation>
        </message>
        <message>
            <source>Continue</source>
            <translation>Fortsetzen</translation>
        </message>
        <message>
            <source>Have it answered</source>
            <translation>Beantworten lassen</translation>
        </message>
        <message>
            <source>Leave out the oldest turns</source>
            <translation>Älteste Beiträge weglassen</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>Noch einmal versuchen</translation>
        </message>
        <message>
            <source>Use a larger window ({tokens} tokens)</source>
            <translation>Größeres Fenster nehmen ({tokens} Tokens)</translation>
        </message>
        <message>
            <source>Use a larger window ({tokens} tokens, +{megabytes} MB)</source>
            <translation>Größeres Fenster nehmen ({tokens} Tokens, +{megabytes} MB)</translation>
        </message>
    </context>
    <context>
        <name>Parting</name>
        <message>
            <source>Close and lose it</source>
            <translation>Schließen und verlieren</translation>
        </message>
        <message>
            <source>What was said last cannot be kept yet. Headwater closes as soon as it is.</source>
            <translation>Was zuletzt gesagt wurde, kann noch nicht aufgehoben werden. Headwater schließt, sobald es das ist.</translation>
        </message>
    </context>
    <context>
        <name>PlotView</name>
        <message>
            <source>{series}: {y_name} {y} at {x_name} {x}</source>
            <translation>{series}: {y_name} {y} bei {x_name} {x}</translation>
        </message>
    </context>
    <context>
        <name>Preferences</name>
        <message>
            <source>A start opens the last conversation where it was read.</source>
            <translation>Ein Start öffnet die letzte Unterhaltung dort, wo sie gelesen wurde.</translation>
        </message>
        <message>
            <source>Address of the proxy</source>
            <translation>Adresse des Proxys</translation>
        </message>
        <message>
            <source>After so long without a question its memory is given back; the next message loads it again.</source>
            <translation>Nach so langer Zeit ohne Frage wird der Speicher zurückgegeben; die nächste Nachricht lädt es wieder.</translation>
        </message>
        <message>
            <source>All conversations with their backups and KV states, all settings, what was measured and logged, and the keys of the servers above. Headwater ends with it. Model files stay. This cannot be undone.</source>
            <translation>Alle Unterhaltungen mit ihren Sicherungen und KV-Zuständen, alle Einstellungen, was gemessen und protokolliert wurde, und die Schlüssel der Server oben. Headwater wird damit beendet. Modelldateien bleiben. Das lässt sich nicht rückgängig machen.</translation>
        </message>
        <message>
            <source>Also with Ctrl and + or -; Ctrl+0 is 100 %.</source>
            <translation>Auch mit Strg und + oder -; Strg+0 ist 100 %.</translation>
        </message>
        <message>
            <source>An address begins with http:// or https:// and holds no password.</source>
            <translation>Eine Adresse beginnt mit http:// oder https:// und enthält kein Passwort.</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>Aussehen</translation>
        </message>
        <message>
            <source>As the system</source>
            <translation>Wie das System</translation>
        </message>
        <message>
            <source>Automatic</source>
            <translation>Automatisch</translation>
        </message>
        <message>
            <source>Automatic puts as many there as are forecast to fit (n_gpu_layers).</source>
            <translation>Automatisch legt so viele dorthin, wie der Vorhersage nach passen (n_gpu_layers).</translation>
        </message>
        <message>
            <source>Automatic takes what was measured to be fastest.</source>
            <translation>Automatisch nimmt, was als am schnellsten gemessen wurde.</translation>
        </message>
        <message>
            <source>Before the answer, with models that have a switch for it.</source>
            <translation>Vor der Antwort, bei Modellen, die einen Schalter dafür haben.</translation>
        </message>
        <message>
            <source>Begin where I left</source>
            <translation>Dort weitermachen</translation>
        </message>
        <message>
            <source>Carets do not blink, and nothing fades or slides. Where the system asks for it, it is so already.</source>
            <translation>Schreibmarken blinken nicht, nichts blendet oder gleitet. Wo das System es wünscht, ist es schon so.</translation>
        </message>
        <message>
            <source>Choose the folder of model files</source>
            <translation>Ordner der Modelldateien wählen</translation>
        </message>
        <message>
            <source>Choose…</source>
            <translation>Wählen…</translation>
        </message>
        <message>
            <source>Close the preferences (Esc)</source>
            <translation>Einstellungen schließen (Esc)</translation>
        </message>
        <message>
            <source>Colours</source>
            <translation>Farben</translation>
        </message>
        <message>
            <source>Confirmation</source>
            <translation>Bestätigung</translation>
        </message>
        <message>
            <source>Connect to a server…</source>
            <translation>Mit einem Server verbinden…</translation>
        </message>
        <message>
            <source>Context window</source>
            <translation>Kontextfenster</translation>
        </message>
        <message>
            <source>Conversations</source>
            <translation>Unterhaltungen</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>Dunkel</translation>
        </message>
        <message>
            <source>Delete everything</source>
            <translation>Alles löschen</translation>
        </message>
        <message>
            <source>Delete everything and quit</source>
            <translation>Alles löschen und beenden</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>Gerät</translation>
        </message>
        <message>
            <source>Folders</source>
            <translation>Ordner</translation>
        </message>
        <message>
            <source>Font</source>
            <translation>Schrift</translation>
        </message>
        <message>
            <source>Free an idle model</source>
            <translation>Ungenutztes Modell freigeben</translation>
        </message>
        <message>
            <source>Holds from the next request.</source>
            <translation>Gilt ab der nächsten Anfrage.</translation>
        </message>
        <message>
            <source>Holds from the next start.</source>
            <translation>Gilt ab dem nächsten Start.</translation>
        </message>
        <message>
            <source>How what was read is kept. q8_0 is a little less exact.</source>
            <translation>Wie Gelesenes behalten wird. q8_0 ist etwas weniger genau.</translation>
        </message>
        <message>
            <source>In memory</source>
            <translation>Im Arbeitsspeicher</translation>
        </message>
        <message>
            <source>KV cache</source>
            <translation>KV-Cache</translation>
        </message>
        <message>
            <source>Keep some on disk</source>
            <translation>Einige auf dem Datenträger behalten</translation>
        </message>
        <message>
            <source>Keys are kept in the system's keyring, never in a file.</source>
            <translation>Schlüssel liegen im Schlüsselbund des Systems, nie in einer Datei.</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>Sprache</translation>
        </message>
        <message>
            <source>Layers on the GPU</source>
            <translation>Schichten auf der GPU</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>Hell</translation>
        </message>
        <message>
            <source>Load it so now</source>
            <translation>Jetzt so laden</translation>
        </message>
        <message>
            <source>Model files</source>
            <translation>Modelldateien</translation>
        </message>
        <message>
            <source>Models on this machine</source>
            <translation>Modelle auf diesem Rechner</translation>
        </message>
        <message>
            <source>Never</source>
            <translation>Nie</translation>
        </message>
        <message>
            <source>None</source>
            <translation>Keiner</translation>
        </message>
        <message>
            <source>Off: nothing is kept there, and what was there is deleted.</source>
            <translation>Aus: Dort bleibt nichts, und was dort war, wird gelöscht.</translation>
        </message>
        <message>
            <source>On disk</source>
            <translation>Auf dem Datenträger</translation>
        </message>
        <message>
            <source>On: a reply appears while it is written. Off: whole, at its end. The model is as fast either way.</source>
            <translation>An: Eine Antwort erscheint, während sie entsteht. Aus: ganz, am Ende. Das Modell ist gleich schnell.</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <source>Open the data folder</source>
            <translation>Datenordner öffnen</translation>
        </message>
        <message>
            <source>Preferences</source>
            <translation>Einstellungen</translation>
        </message>
        <message>
            <source>Proxy</source>
            <translation>Proxy</translation>
        </message>
        <message>
            <source>Reduced motion</source>
            <translation>Weniger Bewegung</translation>
        </message>
        <message>
            <source>Send with</source>
            <translation>Senden mit</translation>
        </message>
        <message>
            <source>Servers</source>
            <translation>Server</translation>
        </message>
        <message>
            <source>Size</source>
            <translation>Größe</translation>
        </message>
        <message>
            <source>Streaming</source>
            <translation>Streaming</translation>
        </message>
        <message>
            <source>The CPU</source>
            <translation>Die CPU</translation>
        </message>
        <message>
            <source>The KV states of conversations that were left are kept, so that they need not be read again. They hold what was said, and can be deleted at any time.</source>
            <translation>Die KV-Zustände verlassener Unterhaltungen bleiben erhalten, damit sie nicht noch einmal gelesen werden müssen. Sie enthalten, was gesagt wurde, und können jederzeit gelöscht werden.</translation>
        </message>
        <message>
            <source>The folder cannot be shown here: {folder}</source>
            <translation>Der Ordner kann hier nicht gezeigt werden: {folder}</translation>
        </message>
        <message>
            <source>The installed llama.cpp sees no GPU here.</source>
            <translation>Das installierte llama.cpp sieht hier keine GPU.</translation>
        </message>
        <message>
            <source>The other one begins a new line, as does Shift+Enter.</source>
            <translation>Die andere beginnt eine neue Zeile, ebenso Umschalt+Enter.</translation>
        </message>
        <message>
            <source>The system's</source>
            <translation>Vom System</translation>
        </message>
        <message>
            <source>The way to other computers. The system's is also that of HTTP_PROXY and HTTPS_PROXY.</source>
            <translation>Der Weg zu anderen Rechnern. Der des Systems ist auch der von HTTP_PROXY und HTTPS_PROXY.</translation>
        </message>
        <message>
            <source>There is no keyring here: keys are kept until Headwater closes.</source>
            <translation>Hier gibt es keinen Schlüsselbund: Schlüssel bleiben, bis Headwater beendet wird.</translation>
        </message>
        <message>
            <source>Thinking</source>
            <translation>Überlegen</translation>
        </message>
        <message>
            <source>This holds from the next load of a model.</source>
            <translation>Dies gilt ab dem nächsten Laden eines Modells.</translation>
        </message>
        <message>
            <source>This one:</source>
            <translation>Dieser:</translation>
        </message>
        <message>
            <source>Threads</source>
            <translation>Threads</translation>
        </message>
        <message>
            <source>Use the usual one</source>
            <translation>Den üblichen nehmen</translation>
        </message>
        <message>
            <source>What a model can read at once (n_ctx). Automatic is 4,096, or less where it was trained for less.</source>
            <translation>Was ein Modell auf einmal lesen kann (n_ctx). Automatisch ist 4.096, oder weniger, wo es für weniger trainiert wurde.</translation>
        </message>
        <message>
            <source>What computes. Automatic takes the GPU where there is one.</source>
            <translation>Was rechnet. Automatisch nimmt die GPU, wo es eine gibt.</translation>
        </message>
        <message>
            <source>What is beyond it is deleted at once.</source>
            <translation>Was darüber hinausgeht, wird sofort gelöscht.</translation>
        </message>
        <message>
            <source>What was read of conversations</source>
            <translation>Was von Unterhaltungen gelesen wurde</translation>
        </message>
        <message>
            <source>Without one, the key is OPENAI_API_KEY from the environment for api.openai.com, and HEADWATER_API_KEY for a server that is named at the start.</source>
            <translation>Ohne einen gilt aus der Umgebung OPENAI_API_KEY für api.openai.com und HEADWATER_API_KEY für einen Server, der beim Start genannt wird.</translation>
        </message>
        <message>
            <source>Writing and reading</source>
            <translation>Schreiben und Lesen</translation>
        </message>
        <message>
            <source>Zoom of messages</source>
            <translation>Vergrößerung der Nachrichten</translation>
        </message>
        <message>
            <source>delete</source>
            <translation>löschen</translation>
        </message>
        <message>
            <source>f16, exact</source>
            <translation>f16, genau</translation>
        </message>
        <message>
            <source>minutes</source>
            <translation>Minuten</translation>
        </message>
        <message>
            <source>q8_0, half the memory</source>
            <translation>q8_0, halber Speicher</translation>
        </message>
        <message>
            <source>tokens</source>
            <translation>Tokens</translation>
        </message>
        <message>
            <source>type: {word}</source>
            <translation>hier tippen: {word}</translation>
        </message>
        <message>
            <source>{model} is loaded otherwise. This holds from its next load.</source>
            <translation>{model} ist anders geladen. Dies gilt ab dem nächsten Laden.</translation>
        </message>
        <message>
            <source>{name}, {free} of {total} GB free</source>
            <translation>{name}, {free} von {total} GB frei</translation>
        </message>
        <message>
            <source>{size} pt</source>
            <translation>{size} pt</translation>
        </message>
    </context>
    <context>
        <name>Progress</name>
        <message>
            <source>Loading the model, {percent} %</source>
            <translation>Lädt das Modell, {percent} %</translation>
        </message>
        <message>
            <source>Reading {tokens} tokens</source>
            <translation>Liest {tokens} Tokens</translation>
        </message>
        <message>
            <source>Reading {tokens} tokens, {seconds} s left</source>
            <translation>Liest {tokens} Tokens, noch {seconds} s</translation>
        </message>
        <message>
            <source>Thinking, {tokens} tokens</source>
            <translation>Überlegt, {tokens} Tokens</translation>
        </message>
        <message>
            <source>Thinking, {tokens} tokens, {seconds} s</source>
            <translation>Überlegt, {tokens} Tokens, {seconds} s</translation>
        </message>
        <message>
            <source>Thought for {seconds} s</source>
            <translation>{seconds} s überlegt</translation>
        </message>
        <message>
            <source>Waiting for its turn</source>
            <translation>Wartet, bis es an der Reihe ist</translation>
        </message>
        <message>
            <source>{tokens} tokens, {seconds} s</source>
            <translation>{tokens} Tokens, {seconds} s</translation>
        </message>
    </context>
    <context>
        <name>PromptField</name>
        <message>
            <source>Message</source>
            <translation>Nachricht</translation>
        </message>
        <message>
            <source>Message {name}</source>
            <translation>Nachricht an {name}</translation>
        </message>
        <message>
            <source>{key} sends, Shift+Enter begins a new line</source>
            <translation>{key} sendet, Umschalt+Enter beginnt eine neue Zeile</translation>
        </message>
    </context>
    <context>
        <name>ReadingActions</name>
        <message>
            <source>&amp;Find in this conversation…</source>
            <translation>In dieser Unterhaltung &amp;suchen…</translation>
        </message>
        <message>
            <source>Copy as &amp;Markdown</source>
            <translation>Als &amp;Markdown kopieren</translation>
        </message>
        <message>
            <source>Find ne&amp;xt</source>
            <translation>&amp;Weitersuchen</translation>
        </message>
        <message>
            <source>Find pre&amp;vious</source>
            <translation>&amp;Rückwärts suchen</translation>
        </message>
        <message>
            <source>Usual si&amp;ze</source>
            <translation>Übliche &amp;Größe</translation>
        </message>
        <message>
            <source>Zoom &amp;in</source>
            <translation>&amp;Vergrößern</translation>
        </message>
        <message>
            <source>Zoom &amp;out</source>
            <translation>Ver&amp;kleinern</translation>
        </message>
    </context>
    <context>
        <name>ReadingView</name>
        <message>
            <source>Conversation</source>
            <translation>Unterhaltung</translation>
        </message>
    </context>
    <context>
        <name>RepoPage</name>
        <message>
            <source>Back to what was found</source>
            <translation>Zurück zum Gefundenen</translation>
        </message>
        <message>
            <source>Download</source>
            <translation>Herunterladen</translation>
        </message>
        <message>
            <source>Files of this repository</source>
            <translation>Dateien dieses Repositorys</translation>
        </message>
        <message>
            <source>Open its page</source>
            <translation>Seine Seite öffnen</translation>
        </message>
        <message>
            <source>Use this model</source>
            <translation>Dieses Modell nehmen</translation>
        </message>
        <message>
            <source>What its page says</source>
            <translation>Was seine Seite sagt</translation>
        </message>
        <message>
            <source>gated: its makers want to be asked first</source>
            <translation>zugangsbeschränkt: die Hersteller wollen gefragt werden</translation>
        </message>
        <message>
            <source>licence: {licence}</source>
            <translation>Lizenz: {licence}</translation>
        </message>
        <message>
            <source>no model file in it</source>
            <translation>keine Modelldatei darin</translation>
        </message>
        <message>
            <source>none named</source>
            <translation>keine genannt</translation>
        </message>
        <message>
            <source>{count} tokens</source>
            <translation>{count} Tokens</translation>
        </message>
    </context>
    <context>
        <name>SamplingForm</name>
        <message>
            <source>0 always takes the likeliest token. Higher is more varied, and sooner wrong.</source>
            <translation>0 nimmt stets das wahrscheinlichste Token. Höher ist vielfältiger und eher falsch.</translation>
        </message>
        <message>
            <source>2 aims at a constant surprise, in place of all that leaves tokens out; 0 does not.</source>
            <translation>2 strebt eine gleichbleibende Überraschung an, anstelle von allem, was Tokens weglässt; 0 nicht.</translation>
        </message>
        <message>
            <source>Against coming back to things</source>
            <translation>Gegen Rückkehr zum Gesagten</translation>
        </message>
        <message>
            <source>Against repeated passages</source>
            <translation>Gegen wiederholte Stellen</translation>
        </message>
        <message>
            <source>Against repeating</source>
            <translation>Gegen Wiederholung</translation>
        </message>
        <message>
            <source>Against wearing words out</source>
            <translation>Gegen abgenutzte Wörter</translation>
        </message>
        <message>
            <source>Choose among</source>
            <translation>Auswahl aus</translation>
        </message>
        <message>
            <source>Even surprise</source>
            <translation>Gleichmäßige Überraschung</translation>
        </message>
        <message>
            <source>Fewer of them</source>
            <translation>Weniger davon</translation>
        </message>
        <message>
            <source>Freedom</source>
            <translation>Freiheit</translation>
        </message>
        <message>
            <source>Freedom by uncertainty</source>
            <translation>Freiheit nach Unsicherheit</translation>
        </message>
        <message>
            <source>How far back passages are looked for</source>
            <translation>Wie weit zurück Stellen gesucht werden</translation>
        </message>
        <message>
            <source>How far back penalties look</source>
            <translation>Wie weit Strafen zurückschauen</translation>
        </message>
        <message>
            <source>How fast it is approached</source>
            <translation>Wie schnell sie angenähert wird</translation>
        </message>
        <message>
            <source>How it follows uncertainty</source>
            <translation>Wie sie der Unsicherheit folgt</translation>
        </message>
        <message>
            <source>Least likely one</source>
            <translation>Unwahrscheinlichstes</translation>
        </message>
        <message>
            <source>Leave out the likeliest</source>
            <translation>Die wahrscheinlichsten weglassen</translation>
        </message>
        <message>
            <source>More of them</source>
            <translation>Mehr davon</translation>
        </message>
        <message>
            <source>Repetitions that may be</source>
            <translation>Erlaubte Wiederholungen</translation>
        </message>
        <message>
            <source>Same choice again</source>
            <translation>Gleiche Wahl noch einmal</translation>
        </message>
        <message>
            <source>Share to choose from</source>
            <translation>Anteil zur Auswahl</translation>
        </message>
        <message>
            <source>The longer, the more</source>
            <translation>Je länger, desto mehr</translation>
        </message>
        <message>
            <source>The surprise aimed at</source>
            <translation>Angestrebte Überraschung</translation>
        </message>
        <message>
            <source>Typical ones only</source>
            <translation>Nur typische</translation>
        </message>
        <message>
            <source>Which of them can be left out</source>
            <translation>Welche davon wegfallen können</translation>
        </message>
        <message>
            <source>Within so many deviations</source>
            <translation>Innerhalb so vieler Abweichungen</translation>
        </message>
        <message>
            <source>above 1 only great uncertainty counts.</source>
            <translation>über 1 zählt nur große Unsicherheit.</translation>
        </message>
        <message>
            <source>above 1 what was written lately becomes less likely. Too much of it spoils grammar and code.</source>
            <translation>über 1 wird kürzlich Geschriebenes unwahrscheinlicher. Zu viel davon verdirbt Grammatik und Code.</translation>
        </message>
        <message>
            <source>another each time</source>
            <translation>jedes Mal anders</translation>
        </message>
        <message>
            <source>higher corrects sooner.</source>
            <translation>höher berichtigt eher.</translation>
        </message>
        <message>
            <source>how fast that grows with the passage's length.</source>
            <translation>wie schnell das mit der Länge der Stelle wächst.</translation>
        </message>
        <message>
            <source>how strongly the next token of a repetition is punished; 0 is not at all. 0.8 is common.</source>
            <translation>wie stark das nächste Token einer Wiederholung bestraft wird; 0 ist gar nicht. 0,8 ist üblich.</translation>
        </message>
        <message>
            <source>in bits. Lower is more predictable.</source>
            <translation>in Bit. Niedriger ist vorhersehbarer.</translation>
        </message>
        <message>
            <source>in tokens of the reply; 0 is not at all.</source>
            <translation>in Tokens der Antwort; 0 ist gar nicht.</translation>
        </message>
        <message>
            <source>in tokens, of the prompt too; -1 is everywhere.</source>
            <translation>in Tokens, auch im Prompt; -1 ist überall.</translation>
        </message>
        <message>
            <source>in tokens; what is longer is punished.</source>
            <translation>in Tokens; Längeres wird bestraft.</translation>
        </message>
        <message>
            <source>measured by the likeliest token. Higher is safer; 0 lets everything through.</source>
            <translation>gemessen am wahrscheinlichsten Token. Höher ist sicherer; 0 lässt alles durch.</translation>
        </message>
        <message>
            <source>more with each time that a token was written.</source>
            <translation>mehr mit jedem Mal, das ein Token geschrieben wurde.</translation>
        </message>
        <message>
            <source>of the likeliest token's logit. Lower is safer, at any temperature; 0 is all.</source>
            <translation>vom Logit des wahrscheinlichsten Tokens. Niedriger ist sicherer, bei jeder Temperatur; 0 sind alle.</translation>
        </message>
        <message>
            <source>off</source>
            <translation>aus</translation>
        </message>
        <message>
            <source>server's</source>
            <translation>vom Server</translation>
        </message>
        <message>
            <source>so many of the likeliest tokens. Fewer is safer; 0 is all of them.</source>
            <translation>so vielen der wahrscheinlichsten Tokens. Weniger ist sicherer; 0 sind alle.</translation>
        </message>
        <message>
            <source>so often: for text that is less expected.</source>
            <translation>so oft: für Text, der weniger erwartet wird.</translation>
        </message>
        <message>
            <source>the likeliest tokens that together come to this much. Lower is safer; 1 is all.</source>
            <translation>die wahrscheinlichsten Tokens, die zusammen so viel ausmachen. Niedriger ist sicherer; 1 sind alle.</translation>
        </message>
        <message>
            <source>the same for every token that was written at all; below 0 is in favour of it.</source>
            <translation>gleich für jedes Token, das überhaupt geschrieben wurde; unter 0 dafür.</translation>
        </message>
        <message>
            <source>the temperature goes up and down by this, as sure as the model is; 0 is not at all.</source>
            <translation>um so viel steigt und fällt die Temperatur, je nachdem, wie sicher das Modell ist; 0 ist gar nicht.</translation>
        </message>
        <message>
            <source>those that are at least so likely; the last of them stays.</source>
            <translation>jene, die mindestens so wahrscheinlich sind; das letzte davon bleibt.</translation>
        </message>
        <message>
            <source>tokens that surprise about as much as is to be expected here; 1 is all.</source>
            <translation>Tokens, die etwa so sehr überraschen, wie hier zu erwarten ist; 1 sind alle.</translation>
        </message>
        <message>
            <source>with one number the same prompt gets the same reply.</source>
            <translation>mit einer Zahl erhält der gleiche Prompt die gleiche Antwort.</translation>
        </message>
        <message>
            <source>{value} (model's)</source>
            <translation>{value} (vom Modell)</translation>
        </message>
        <message>
            <source>{value} (usual)</source>
            <translation>{value} (üblich)</translation>
        </message>
    </context>
    <context>
        <name>SearchField</name>
        <message>
            <source>Empty the search</source>
            <translation>Suche leeren</translation>
        </message>
        <message>
            <source>Search</source>
            <translation>Suchen</translation>
        </message>
        <message>
            <source>Search all conversations (Ctrl+K)</source>
            <translation>Alle Unterhaltungen durchsuchen (Strg+K)</translation>
        </message>
    </context>
    <context>
        <name>SearchResults</name>
        <message>
            <source>Found</source>
            <translation>Gefunden</translation>
        </message>
    </context>
    <context>
        <name>SelectionBar</name>
        <message>
            <source>Delete (Del)</source>
            <translation>Löschen (Entf)</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>Exportieren</translation>
        </message>
        <message>
            <source>Let go of them (Esc)</source>
            <translation>Auswahl aufheben (Esc)</translation>
        </message>
        <message>
            <source>Move to a folder</source>
            <translation>In einen Ordner legen</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>Anheften</translation>
        </message>
        <message>
            <source>What can be done with those chosen</source>
            <translation>Was sich mit den gewählten tun lässt</translation>
        </message>
        <message>
            <source>{count} chosen</source>
            <translation>{count} gewählt</translation>
        </message>
    </context>
    <context>
        <name>Sentence</name>
        <message>
            <source> (in {titles}{more})</source>
            <translation> (in {titles}{more})</translation>
        </message>
        <message>
            <source> (the short answer was longer than the lowest limit and was cut off)</source>
            <translation> (die kurze Antwort war länger als die niedrigste Grenze und wurde abgeschnitten)</translation>
        </message>
        <message>
            <source> Choose another model.</source>
            <translation> Wählen Sie ein anderes Modell.</translation>
        </message>
        <message>
            <source> Its last line: {line}.</source>
            <translation> Die letzte Zeile: {line}.</translation>
        </message>
        <message>
            <source> Other programs took a share of the processors, so that may be their doing: compare again without them.</source>
            <translation> Andere Programme beanspruchten einen Teil der Prozessoren, vielleicht liegt es daran: Vergleichen Sie noch einmal ohne sie.</translation>
        </message>
        <message>
            <source> Try {ways}.</source>
            <translation> Versuchen Sie es mit {ways}.</translation>
        </message>
        <message>
            <source> and others</source>
            <translation> und andere</translation>
        </message>
        <message>
            <source> and {count} more</source>
            <translation> und {count} weiteren</translation>
        </message>
        <message>
            <source>, and at your prices an estimated {with_reuse} and {without}</source>
            <translation>, zu Ihren Preisen geschätzt {with_reuse} und {without}</translation>
        </message>
        <message>
            <source>, and nothing tells how many are lost</source>
            <translation>, und nichts sagt, wie viele verloren sind</translation>
        </message>
        <message>
            <source>, at most {messages} are lost</source>
            <translation>, verloren: höchstens {messages}</translation>
        </message>
        <message>
            <source>, none is lost</source>
            <translation>, verloren ist keine</translation>
        </message>
        <message>
            <source>, {messages} came back from a backup</source>
            <translation>, aus einer Sicherung zurückgeholt: {messages}</translation>
        </message>
        <message>
            <source>1 message</source>
            <translation>1 Nachricht</translation>
        </message>
        <message>
            <source>1 thread</source>
            <translation>1 Thread</translation>
        </message>
        <message>
            <source>1 token of the prompt was there</source>
            <translation>1 Token des Prompts war da</translation>
        </message>
        <message>
            <source>A SOCKS proxy is named for the Hub; only HTTP proxies are supported.</source>
            <translation>Für den Hub ist ein SOCKS-Proxy angegeben; nur HTTP-Proxys werden unterstützt.</translation>
        </message>
        <message>
            <source>A comparison has 1 to {MOST_RUNS} runs of each kind; got {runs}.</source>
            <translation>Ein Vergleich hat 1 bis {MOST_RUNS} Läufe jeder Art; angegeben sind {runs}.</translation>
        </message>
        <message>
            <source>A first question</source>
            <translation>Eine erste Frage</translation>
        </message>
        <message>
            <source>A longer answer of {length:,} tokens, round {turn} of {rounds}</source>
            <translation>Eine längere Antwort von {length:,} Tokens, Durchgang {turn} von {rounds}</translation>
        </message>
        <message>
            <source>A model has no memory of its own: with every turn, the whole conversation so far is its prompt. The tokens that were sent add up to far more than the conversation's length. With prefix reuse, what was read in earlier turns need not be computed again. This experiment lets a conversation grow turn by turn, with reuse and without, and adds up tokens, time and money; money at prices that you enter, as an estimate.</source>
            <translation>Ein Modell hat kein eigenes Gedächtnis: In jeder Runde ist die ganze Unterhaltung bis dahin sein Prompt. Die gesendeten Tokens summieren sich auf weit mehr als die Länge der Unterhaltung. Mit Wiederverwendung des Anfangs muss nicht neu berechnet werden, was in früheren Runden gelesen wurde. Dieses Experiment lässt eine Unterhaltung Runde um Runde wachsen, mit Wiederverwendung und ohne, und zählt Tokens, Zeit und Geld zusammen; Geld nach Preisen, die Sie eingeben, als Schätzung.</translation>
        </message>
        <message>
            <source>A model is being downloaded</source>
            <translation>Ein Modell wird heruntergeladen</translation>
        </message>
        <message>
            <source>A model works in two phases. In prefill it reads the prompt, many tokens at once; in decode it writes the answer, one token after another, and for each of them it goes through all of its weights again. So one more token of the answer should cost more time than one more token of the prompt. This experiment reads prompts of several lengths and writes answers of several lengths, and measures what one more token costs in either phase.</source>
            <translation>Ein Modell arbeitet in zwei Phasen. Im Prefill liest es den Prompt, viele Tokens auf einmal; im Decode schreibt es die Antwort, ein Token nach dem anderen, und geht für jedes wieder alle seine Gewichte durch. Ein Token mehr in der Antwort sollte also mehr Zeit kosten als ein Token mehr im Prompt. Dieses Experiment liest Prompts und schreibt Antworten verschiedener Länge und misst, was ein Token mehr in jeder Phase kostet.</translation>
        </message>
        <message>
            <source>A price per million tokens is at least 0; got {price}.</source>
            <translation>Ein Preis je Million Tokens ist mindestens 0; angegeben ist {price}.</translation>
        </message>
        <message>
            <source>A proxy's address begins with http:// or https:// and holds no password.</source>
            <translation>Die Adresse eines Proxys beginnt mit http:// oder https:// und enthält kein Passwort.</translation>
        </message>
        <message>
            <source>A reply is being written</source>
            <translation>Eine Antwort entsteht</translation>
        </message>
        <message>
            <source>A second one with reuse, round {turn} of {rounds}</source>
            <translation>Eine zweite mit Wiederverwendung, Durchgang {turn} von {rounds}</translation>
        </message>
        <message>
            <source>A second one without reuse, round {turn} of {rounds}</source>
            <translation>Eine zweite ohne Wiederverwendung, Durchgang {turn} von {rounds}</translation>
        </message>
        <message>
            <source>A second turn</source>
            <translation>Eine zweite Runde</translation>
        </message>
        <message>
            <source>A server's address begins with http:// or https://.</source>
            <translation>Die Adresse eines Servers beginnt mit http:// oder https://.</translation>
        </message>
        <message>
            <source>A server's address holds no password and no key; give the key apart from it.</source>
            <translation>Die Adresse eines Servers enthält kein Passwort und keinen Schlüssel; geben Sie den Schlüssel getrennt an.</translation>
        </message>
        <message>
            <source>A short answer under a limit of {limit:,} tokens, round {turn} of {rounds}</source>
            <translation>Eine kurze Antwort bei einer Grenze von {limit:,} Tokens, Durchgang {turn} von {rounds}</translation>
        </message>
        <message>
            <source>An empty text names no device.</source>
            <translation>Ein leerer Text benennt kein Gerät.</translation>
        </message>
        <message>
            <source>Another program holds the conversations in {path} locked. Close it, then go on.</source>
            <translation>Ein anderes Programm hält die Unterhaltungen in {path} gesperrt. Schließen Sie es, dann geht es weiter.</translation>
        </message>
        <message>
            <source>Another program writes into {name}, so this ends here. When it is done, try again: the model is loaded anew.</source>
            <translation>Ein anderes Programm schreibt in {name}, deshalb endet dies hier. Versuchen Sie es erneut, wenn es fertig ist: Das Modell wird neu geladen.</translation>
        </message>
        <message>
            <source>Answers</source>
            <translation>Antworten</translation>
        </message>
        <message>
            <source>Between 1 and {MOST_THREADS} threads can compute; got {threads}.</source>
            <translation>Zwischen 1 und {MOST_THREADS} Threads können rechnen; angegeben sind {threads}.</translation>
        </message>
        <message>
            <source>Both answer the same prompt, from an empty KV cache.</source>
            <translation>Beide beantworten denselben Prompt, aus einem leeren KV-Cache.</translation>
        </message>
        <message>
            <source>Bytes per token: the weights, all of them, and the part of the KV cache that was filled. Bandwidth: each of the model's threads reads its share of 256 MiB from one end to the other; the best of 7 rounds. Of models with experts only some weights are read for a token, so their share is overestimated.</source>
            <translation>Bytes je Token: alle Gewichte und der gefüllte Teil des KV-Caches. Bandbreite: Jeder Thread des Modells liest seinen Teil von 256 MiB von einem Ende zum anderen; der beste von 7 Durchgängen. Bei Modellen mit Experten wird für ein Token nur ein Teil der Gewichte gelesen, ihr Anteil ist also überschätzt.</translation>
        </message>
        <message>
            <source>Decode</source>
            <translation>Decode</translation>
        </message>
        <message>
            <source>Does a lower limit make answers faster?</source>
            <translation>Macht eine niedrigere Grenze Antworten schneller?</translation>
        </message>
        <message>
            <source>Every run</source>
            <translation>Jeder Lauf</translation>
        </message>
        <message>
            <source>Every sample</source>
            <translation>Jede Messung</translation>
        </message>
        <message>
            <source>Every token</source>
            <translation>Jedes Token</translation>
        </message>
        <message>
            <source>Experiments run with a model of this machine, such as {name}.</source>
            <translation>Experimente laufen mit einem Modell dieses Rechners, etwa {name}.</translation>
        </message>
        <message>
            <source>First paint</source>
            <translation>Erste Anzeige</translation>
        </message>
        <message>
            <source>First text</source>
            <translation>Erster Text</translation>
        </message>
        <message>
            <source>First token</source>
            <translation>Erstes Token</translation>
        </message>
        <message>
            <source>For every token it has read, a model keeps two lists of numbers in each layer, the keys and the values: the KV cache. A new token looks at them instead of computing them anew. This experiment writes one text twice, with the cache and without it, where the whole sequence is computed again for every token. It also asks a second question in a conversation twice: once with the cache of the first turn, once from nothing.</source>
            <translation>Für jedes gelesene Token behält ein Modell in jeder Schicht zwei Listen von Zahlen, die Keys und die Values: den KV-Cache. Ein neues Token sieht sie an, statt sie neu zu berechnen. Dieses Experiment schreibt einen Text zweimal, mit dem Cache und ohne ihn, wobei die ganze Folge für jedes Token neu berechnet wird. Außerdem stellt es in einer Unterhaltung eine zweite Frage zweimal: einmal mit dem Cache der ersten Runde, einmal von vorn.</translation>
        </message>
        <message>
            <source>Gemma turns</source>
            <translation>Gemma</translation>
        </message>
        <message>
            <source>HF_HUB_OFFLINE is set.</source>
            <translation>HF_HUB_OFFLINE ist gesetzt.</translation>
        </message>
        <message>
            <source>Is an answer faster when it is shown while it is written?</source>
            <translation>Ist eine Antwort schneller, wenn sie beim Schreiben gezeigt wird?</translation>
        </message>
        <message>
            <source>It claims more layers for looking ahead than it has layers.</source>
            <translation>Es gibt mehr Schichten zum Vorausschauen an, als es Schichten hat.</translation>
        </message>
        <message>
            <source>It claims to have {layers:,} layers; 1 to {most} are possible.</source>
            <translation>Es gibt {layers:,} Schichten an; möglich sind 1 bis {most}.</translation>
        </message>
        <message>
            <source>It claims to use {used:,} of {experts:,} experts.</source>
            <translation>Es gibt an, {used:,} von {experts:,} Experten zu nutzen.</translation>
        </message>
        <message>
            <source>It does not say what architecture it has. Choose another.</source>
            <translation>Die Datei sagt nicht, welche Architektur das Modell hat. Wählen Sie eine andere.</translation>
        </message>
        <message>
            <source>It does not write one token after another.</source>
            <translation>Es schreibt nicht ein Token nach dem anderen.</translation>
        </message>
        <message>
            <source>It has an encoder of its own, which this engine does not run.</source>
            <translation>Es hat einen eigenen Encoder, der hier nicht ausgeführt wird.</translation>
        </message>
        <message>
            <source>It has no vocabulary.</source>
            <translation>Es hat kein Vokabular.</translation>
        </message>
        <message>
            <source>It holds a vocabulary and no model.</source>
            <translation>Es enthält ein Vokabular und kein Modell.</translation>
        </message>
        <message>
            <source>It holds measurements for quantising, not a model.</source>
            <translation>Es enthält Messwerte zum Quantisieren, kein Modell.</translation>
        </message>
        <message>
            <source>It is an adapter for another model, not a model.</source>
            <translation>Es ist ein Adapter für ein anderes Modell, kein Modell.</translation>
        </message>
        <message>
            <source>It is part {number} of {count} of a model. Open the first one.</source>
            <translation>Es ist Teil {number} von {count} eines Modells. Öffnen Sie den ersten.</translation>
        </message>
        <message>
            <source>It is part {number} of {count} of a model. Open the first one: {first}.</source>
            <translation>Es ist Teil {number} von {count} eines Modells. Öffnen Sie den ersten: {first}.</translation>
        </message>
        <message>
            <source>It is the first of {count} parts, so its name must end in {end}.</source>
            <translation>Die Datei ist der erste von {count} Teilen, deshalb muss ihr Name auf {end} enden.</translation>
        </message>
        <message>
            <source>It is the projector of a model that sees; open the model itself.</source>
            <translation>Es ist der Projektor eines Modells, das sieht; öffnen Sie das Modell selbst.</translation>
        </message>
        <message>
            <source>It is written in version {version} of GGUF, which is not known. Choose another.</source>
            <translation>Die Datei ist in Version {version} von GGUF geschrieben, die nicht bekannt ist. Wählen Sie eine andere.</translation>
        </message>
        <message>
            <source>It makes sound, not text.</source>
            <translation>Es erzeugt Ton, keinen Text.</translation>
        </message>
        <message>
            <source>It names a position scaling that does not exist: {scaling}.</source>
            <translation>Es nennt eine Skalierung der Positionen, die es nicht gibt: {scaling}.</translation>
        </message>
        <message>
            <source>It only points to the model's file (Git LFS). Download that.</source>
            <translation>Die Datei verweist nur auf die Modelldatei (Git LFS). Laden Sie diese herunter.</translation>
        </message>
        <message>
            <source>It turns text into embeddings and writes none.</source>
            <translation>Es verwandelt Text in Embeddings und schreibt keinen.</translation>
        </message>
        <message>
            <source>It was run in its short form: fewer rounds, shorter texts.</source>
            <translation>In der Kurzform gemessen: weniger Durchgänge, kürzere Texte.</translation>
        </message>
        <message>
            <source>It was stopped early; the runs that were whole by then are counted.</source>
            <translation>Vorzeitig angehalten; gezählt sind die Läufe, die bis dahin vollständig waren.</translation>
        </message>
        <message>
            <source>It was stopped early; what was measured until then is shown.</source>
            <translation>Vorzeitig angehalten; zu sehen ist, was bis dahin gemessen wurde.</translation>
        </message>
        <message>
            <source>It was written for machines of the other byte order. Choose another.</source>
            <translation>Die Datei wurde für Rechner mit der anderen Bytereihenfolge geschrieben. Wählen Sie eine andere.</translation>
        </message>
        <message>
            <source>Its experts do not go into the groups it claims.</source>
            <translation>Seine Experten lassen sich nicht auf die angegebenen Gruppen verteilen.</translation>
        </message>
        <message>
            <source>Its header is damaged or cut short. Download it again.</source>
            <translation>Der Kopf der Datei ist beschädigt oder abgeschnitten. Laden Sie die Datei erneut herunter.</translation>
        </message>
        <message>
            <source>Its name, or that of a folder above it, is not written in UTF-8. Rename it.</source>
            <translation>Der Name der Datei oder eines Ordners darüber ist nicht in UTF-8 geschrieben. Benennen Sie die Datei oder den Ordner um.</translation>
        </message>
        <message>
            <source>Its vocabulary lists {token!r} twice.</source>
            <translation>Sein Vokabular führt {token!r} zweimal auf.</translation>
        </message>
        <message>
            <source>Meanwhile: {known}.</source>
            <translation>Währenddessen: {known}.</translation>
        </message>
        <message>
            <source>Measured with {subject}, {when}.</source>
            <translation>Gemessen mit {subject}, {when}.</translation>
        </message>
        <message>
            <source>Money is an estimate at the prices that were entered, per million tokens: {input} for input, {cached} for cached, {output} for output.</source>
            <translation>Das Geld ist geschätzt, zu den eingegebenen Preisen je Million Tokens: {input} für Eingabe, {cached} für gecachte, {output} für Ausgabe.</translation>
        </message>
        <message>
            <source>No computer called {host} was found. Check the address, and that this computer is online.</source>
            <translation>Es wurde kein Rechner namens {host} gefunden. Prüfen Sie die Adresse und ob dieser Rechner online ist.</translation>
        </message>
        <message>
            <source>No prices were entered, so no money is shown.</source>
            <translation>Es sind keine Preise eingegeben, deshalb ist kein Geld zu sehen.</translation>
        </message>
        <message>
            <source>Not shown on this machine for every prompt: {figures}.</source>
            <translation>Zeigte sich auf diesem Rechner nicht bei jedem Prompt: {figures}.</translation>
        </message>
        <message>
            <source>Not shown on this machine{because}: {figures}.</source>
            <translation>Zeigte sich auf diesem Rechner nicht{because}: {figures}.</translation>
        </message>
        <message>
            <source>Nothing answers at {host}. Start the server there, or check the address.</source>
            <translation>Unter {host} antwortet nichts. Starten Sie dort den Server, oder prüfen Sie die Adresse.</translation>
        </message>
        <message>
            <source>Nothing can be compared: no answer was made both ways.</source>
            <translation>Nichts lässt sich vergleichen: Keine Antwort entstand auf beide Arten.</translation>
        </message>
        <message>
            <source>One warm-up came first and is not counted.</source>
            <translation>Zuerst kam ein Aufwärmlauf, der nicht zählt.</translation>
        </message>
        <message>
            <source>One warm-up came first and is not counted. Both ways answer the same conversation, turn by turn.</source>
            <translation>Zuerst kam ein Aufwärmlauf, der nicht zählt. Beide Arten beantworten dieselbe Unterhaltung, Runde um Runde.</translation>
        </message>
        <message>
            <source>One warm-up came first and is not counted. Every prompt was read into an empty KV cache.</source>
            <translation>Zuerst kam ein Aufwärmlauf, der nicht zählt. Jeder Prompt wurde in einen leeren KV-Cache gelesen.</translation>
        </message>
        <message>
            <source>One warm-up run of at most {tokens} tokens came first and is not counted. Each run began with the same KV cache ({cached}); their order was {order}.</source>
            <translation>Zuerst kam ein Aufwärmlauf mit höchstens {tokens} Tokens, der nicht zählt. Jeder Lauf begann mit demselben KV-Cache ({cached}); die Reihenfolge war {order}.</translation>
        </message>
        <message>
            <source>Other programs took a share of the processors during run {runs}.</source>
            <translation>Während Lauf {runs} beanspruchten andere Programme einen Teil der Prozessoren.</translation>
        </message>
        <message>
            <source>Other programs took a share of the processors; the figures may be slower than usual.</source>
            <translation>Andere Programme beanspruchten einen Teil der Prozessoren; die Zahlen sind vielleicht schlechter als sonst.</translation>
        </message>
        <message>
            <source>Painted</source>
            <translation>Angezeigt</translation>
        </message>
        <message>
            <source>Part {number} of {count} is missing: {name}. Put it into the same folder.</source>
            <translation>Teil {number} von {count} fehlt: {name}. Legen Sie ihn in denselben Ordner.</translation>
        </message>
        <message>
            <source>Prompt of {tokens:,} tokens: {note}</source>
            <translation>Prompt von {tokens:,} Tokens: {note}</translation>
        </message>
        <message>
            <source>Prompt {number} of {count}, about {length:,} tokens</source>
            <translation>Prompt {number} von {count}, etwa {length:,} Tokens</translation>
        </message>
        <message>
            <source>Put together from replies that were made before; their prompts may have been read in part already.</source>
            <translation>Aus früheren Antworten zusammengestellt; ihre Prompts waren vielleicht zum Teil schon gelesen.</translation>
        </message>
        <message>
            <source>Reading about {length:,} tokens, round {turn} of {rounds}</source>
            <translation>Liest etwa {length:,} Tokens, Durchgang {turn} von {rounds}</translation>
        </message>
        <message>
            <source>Reading memory</source>
            <translation>Liest den Speicher</translation>
        </message>
        <message>
            <source>Rich Text (.rtf); save it as .docx or as plain text</source>
            <translation>eine RTF-Datei; sichern Sie sie als .docx oder als einfachen Text</translation>
        </message>
        <message>
            <source>Seconds for one more token</source>
            <translation>Sekunden für ein Token mehr</translation>
        </message>
        <message>
            <source>Something went wrong inside Headwater's engine: {summary}. Try again, and report it if it comes back.</source>
            <translation>In Headwater selbst ist etwas schiefgegangen: {summary}. Versuchen Sie es erneut, und melden Sie es, wenn es wieder vorkommt.</translation>
        </message>
        <message>
            <source>Streaming</source>
            <translation>Streaming</translation>
        </message>
        <message>
            <source>Streaming brings the first words sooner and the last at the same time: {figures}.</source>
            <translation>Mit Streaming kommen die ersten Wörter früher und die letzten zur gleichen Zeit: {figures}.</translation>
        </message>
        <message>
            <source>Streaming is compared with a model of this machine.</source>
            <translation>Streaming wird mit einem Modell dieses Rechners verglichen.</translation>
        </message>
        <message>
            <source>Streaming on and off</source>
            <translation>Streaming an und aus</translation>
        </message>
        <message>
            <source>Streaming on and off (s, tok/s)</source>
            <translation>Streaming an und aus (s, Tok/s)</translation>
        </message>
        <message>
            <source>Streaming showed the first words no sooner ({on} and {off})</source>
            <translation>Mit Streaming waren die ersten Wörter nicht früher zu sehen ({on} und {off})</translation>
        </message>
        <message>
            <source>Streaming showed the first words {apart} later</source>
            <translation>Mit Streaming waren die ersten Wörter {apart} später zu sehen</translation>
        </message>
        <message>
            <source>Streaming showed the first words {apart} sooner</source>
            <translation>Mit Streaming waren die ersten Wörter {apart} früher zu sehen</translation>
        </message>
        <message>
            <source>The Hub cannot be reached for {what}: {reason}. Check the network, and try again.</source>
            <translation>Der Hub ist für {what} nicht erreichbar: {reason}. Prüfen Sie das Netzwerk, und versuchen Sie es erneut.</translation>
        </message>
        <message>
            <source>The Hub does not accept the access token it was sent for {what}. Make another, under Settings.</source>
            <translation>Der Hub nimmt das Zugangstoken nicht an, das ihm für {what} gesendet wurde. Erstellen Sie dort unter „Settings“ ein anderes.</translation>
        </message>
        <message>
            <source>The Hub failed over {what}: {reason}. Try again later.</source>
            <translation>Beim Hub ist für {what} ein Fehler aufgetreten: {reason}. Versuchen Sie es später erneut.</translation>
        </message>
        <message>
            <source>The Hub has been asked too often for now. Try {what} again {when}.</source>
            <translation>Der Hub wurde zu oft gefragt. Versuchen Sie {what} {when} erneut.</translation>
        </message>
        <message>
            <source>The Hub's address begins with https://; got {endpoint!r}.</source>
            <translation>Die Adresse des Hubs beginnt mit https://; angegeben ist {endpoint!r}.</translation>
        </message>
        <message>
            <source>The KV cache</source>
            <translation>Der KV-Cache</translation>
        </message>
        <message>
            <source>The access token for the Hub has characters in it that no token can have.</source>
            <translation>Das Zugangstoken für den Hub enthält Zeichen, die in keinem Token vorkommen können.</translation>
        </message>
        <message>
            <source>The certificates that SSL_CERT_FILE names cannot be read: {reason}.</source>
            <translation>Die Zertifikate, die SSL_CERT_FILE nennt, sind nicht lesbar: {reason}.</translation>
        </message>
        <message>
            <source>The context size is at least 1 token; got {context_size}.</source>
            <translation>Das Kontextfenster fasst mindestens 1 Token; angegeben ist {context_size}.</translation>
        </message>
        <message>
            <source>The conversations in {folder} cannot be opened: {reason}.</source>
            <translation>Die Unterhaltungen in {folder} lassen sich nicht öffnen: {reason}.</translation>
        </message>
        <message>
            <source>The conversations in {path} are damaged, and another window has them open. Close it first.</source>
            <translation>Die Unterhaltungen in {path} sind beschädigt, und ein anderes Fenster hat sie offen. Schließen Sie zuerst dieses.</translation>
        </message>
        <message>
            <source>The conversations in {path} are damaged. Start Headwater again: it takes what can be read of them, and what is in the newest backup.</source>
            <translation>Die Unterhaltungen in {path} sind beschädigt. Starten Sie Headwater neu: Es nimmt, was sich davon lesen lässt, und was in der neuesten Sicherung steht.</translation>
        </message>
        <message>
            <source>The conversations in {path} cannot be read or written: {reason}.</source>
            <translation>Die Unterhaltungen in {path} lassen sich nicht lesen oder schreiben: {reason}.</translation>
        </message>
        <message>
            <source>The conversations in {path} were written by a newer version of Headwater. Install that version, or start with another folder (--data-dir).</source>
            <translation>Die Unterhaltungen in {path} stammen von einer neueren Version von Headwater. Installieren Sie diese, oder starten Sie mit einem anderen Ordner (--data-dir).</translation>
        </message>
        <message>
            <source>The conversations were damaged. {messages} could be read{back}{lost}{where}. The damaged file is kept as {path}.</source>
            <translation>Die Unterhaltungen waren beschädigt. Gelesen: {messages}{back}{lost}{where}. Die beschädigte Datei liegt in {path}.</translation>
        </message>
        <message>
            <source>The disk with {folder} is full, so nothing more can be kept. Make room on it, then go on.</source>
            <translation>Der Datenträger mit {folder} ist voll, deshalb lässt sich nichts mehr sichern. Schaffen Sie dort Platz, dann geht es weiter.</translation>
        </message>
        <message>
            <source>The engine could not go on: {reason} Try again; if that does not help, load the model anew.</source>
            <translation>Das Modell konnte nicht weiterrechnen: {reason} Versuchen Sie es erneut; wenn das nicht hilft, laden Sie das Modell neu.</translation>
        </message>
        <message>
            <source>The engine was closed before this could be answered. Ask again once it runs.</source>
            <translation>Das Modell wurde geschlossen, bevor dies beantwortet werden konnte. Fragen Sie erneut, sobald es läuft.</translation>
        </message>
        <message>
            <source>The file is empty. Download it again.</source>
            <translation>Die Datei ist leer. Laden Sie sie erneut herunter.</translation>
        </message>
        <message>
            <source>The first tokens of each kind were evaluated twice before they counted.</source>
            <translation>Die ersten Tokens jeder Art wurden zweimal berechnet, ehe sie zählten.</translation>
        </message>
        <message>
            <source>The installed llama.cpp does not know its architecture, {architecture}.</source>
            <translation>Das installierte llama.cpp kennt die Architektur {architecture} nicht.</translation>
        </message>
        <message>
            <source>The key for this server has characters in it that no key can have.</source>
            <translation>Der Schlüssel für diesen Server enthält Zeichen, die in keinem Schlüssel vorkommen können.</translation>
        </message>
        <message>
            <source>The model's chat template cannot render this conversation: {reason} Try another template or model.</source>
            <translation>Die Chat-Vorlage des Modells kann diese Unterhaltung nicht darstellen: {reason} Versuchen Sie es mit einer anderen Vorlage oder einem anderen Modell.</translation>
        </message>
        <message>
            <source>The model's chat template refuses a second question: {reason}</source>
            <translation>Die Chat-Vorlage des Modells lehnt eine zweite Frage ab: {reason}</translation>
        </message>
        <message>
            <source>The model's chat template takes no system prompt: {reason}</source>
            <translation>Die Chat-Vorlage des Modells nimmt keinen System-Prompt an: {reason}</translation>
        </message>
        <message>
            <source>The number of layers on the GPU is not negative; got {gpu_layers}.</source>
            <translation>Die Zahl der Schichten auf der GPU ist nicht negativ; angegeben ist {gpu_layers}.</translation>
        </message>
        <message>
            <source>The reply cannot be held to this grammar: {reason} Change it, or ask without it.</source>
            <translation>Die Antwort lässt sich nicht an diese Grammatik binden: {reason} Ändern Sie sie, oder fragen Sie ohne sie.</translation>
        </message>
        <message>
            <source>The reply from {host} is not whole: {reason} Ask again.</source>
            <translation>Die Antwort von {host} ist nicht vollständig: {reason} Fragen Sie erneut.</translation>
        </message>
        <message>
            <source>The server at {host} cannot be reached: {reason} Check the address and the network.</source>
            <translation>Der Server {host} ist nicht erreichbar: {reason} Prüfen Sie die Adresse und das Netzwerk.</translation>
        </message>
        <message>
            <source>The server at {host} cannot prove who it is, so nothing was sent to it: {reason} Check the address, or ask whoever runs it.</source>
            <translation>Der Server {host} kann nicht nachweisen, wer er ist, deshalb wurde ihm nichts gesendet: {reason} Prüfen Sie die Adresse, oder fragen Sie, wer ihn betreibt.</translation>
        </message>
        <message>
            <source>The server at {host} did not answer within {seconds:,.3g} seconds. Try again later.</source>
            <translation>Der Server {host} hat nicht innerhalb von {seconds:,.3g} Sekunden geantwortet. Versuchen Sie es später erneut.</translation>
        </message>
        <message>
            <source>The server at {host} does not accept this key ({status}). Give it another one.</source>
            <translation>Der Server {host} nimmt diesen Schlüssel nicht an ({status}). Geben Sie einen anderen an.</translation>
        </message>
        <message>
            <source>The server at {host} does not offer any model. Load one there.</source>
            <translation>Der Server {host} bietet kein Modell an. Laden Sie dort eines.</translation>
        </message>
        <message>
            <source>The server at {host} does not offer the model “{model}”. Choose another one.</source>
            <translation>Der Server {host} bietet das Modell „{model}“ nicht an. Wählen Sie ein anderes.</translation>
        </message>
        <message>
            <source>The server at {host} does not offer {what}. Choose one that it does: {shown}{others}.</source>
            <translation>Der Server {host} bietet {what} nicht an. Wählen Sie eines, das er anbietet: {shown}{others}.</translation>
        </message>
        <message>
            <source>The server at {host} failed ({status}){said} Try again later.</source>
            <translation>Beim Server {host} ist ein Fehler aufgetreten ({status}){said} Versuchen Sie es später erneut.</translation>
        </message>
        <message>
            <source>The server at {host} refuses this request ({status}){said} Change that, or ask another model.</source>
            <translation>Der Server {host} lehnt diese Anfrage ab ({status}){said} Ändern Sie das, oder fragen Sie ein anderes Modell.</translation>
        </message>
        <message>
            <source>The server at {host} sends on to {where}. Nothing was sent there; use that address if it is right.</source>
            <translation>Der Server {host} leitet an {where} weiter. Dorthin wurde nichts gesendet; verwenden Sie diese Adresse, wenn sie richtig ist.</translation>
        </message>
        <message>
            <source>The server at {host} takes no request now ({status}). Try again {later}{said}</source>
            <translation>Der Server {host} nimmt gerade keine Anfragen an ({status}). Versuchen Sie es {later} erneut{said}</translation>
        </message>
        <message>
            <source>The server at {host} wants a key ({status}). Give it one.</source>
            <translation>Der Server {host} verlangt einen Schlüssel ({status}). Geben Sie einen an.</translation>
        </message>
        <message>
            <source>The server's address cannot be read.</source>
            <translation>Die Adresse des Servers ist nicht lesbar.</translation>
        </message>
        <message>
            <source>The settings cannot be saved in {path}: {reason}.</source>
            <translation>Die Einstellungen lassen sich nicht in {path} sichern: {reason}.</translation>
        </message>
        <message>
            <source>The settings file was damaged. It is kept as {path}; what it held no longer applies.</source>
            <translation>Die Datei mit den Einstellungen war beschädigt. Sie liegt jetzt in {path}; was darin stand, gilt nicht mehr.</translation>
        </message>
        <message>
            <source>The settings in {path} are damaged and cannot be set aside: {reason}.</source>
            <translation>Die Einstellungen in {path} sind beschädigt und lassen sich nicht beiseitelegen: {reason}.</translation>
        </message>
        <message>
            <source>The settings in {path} cannot be read: {reason}.</source>
            <translation>Die Einstellungen in {path} lassen sich nicht lesen: {reason}.</translation>
        </message>
        <message>
            <source>The share of the limit is computed for models on the CPU.</source>
            <translation>Der Anteil an der Grenze wird für Modelle auf der CPU berechnet.</translation>
        </message>
        <message>
            <source>The short answer ends at its first sentence, the long one is kept from ending before its length.</source>
            <translation>Die kurze Antwort endet nach ihrem ersten Satz, die lange darf nicht vor ihrer Länge enden.</translation>
        </message>
        <message>
            <source>The system says: {strerror}.</source>
            <translation>Das System sagt: {strerror}.</translation>
        </message>
        <message>
            <source>The texts differ: run {other} (streaming {mode}) goes another way than run {first} from character {place:,} on, so their times are not of the same answer.</source>
            <translation>Die Texte sind verschieden: Lauf {other} (Streaming {mode}) geht ab Zeichen {place:,} einen anderen Weg als Lauf {first}, ihre Zeiten gelten also nicht derselben Antwort.</translation>
        </message>
        <message>
            <source>There is no chat service at {address} ({status}). Such addresses mostly end in /v1.</source>
            <translation>Unter {address} gibt es keinen Chat-Dienst ({status}). Solche Adressen enden meist auf /v1.</translation>
        </message>
        <message>
            <source>There is no conversation in {name} that can be read. Headwater reads its own exports, lists of messages (JSON or JSONL), and ChatGPT's export (conversations.json, or the zip that holds it).</source>
            <translation>In {name} ist keine Unterhaltung, die sich lesen lässt. Headwater liest, was es selbst exportiert hat, Listen von Nachrichten (JSON oder JSONL) und den Export von ChatGPT (conversations.json oder das ZIP-Archiv damit).</translation>
        </message>
        <message>
            <source>There is no model file at {path}. Check the path, or choose another model.</source>
            <translation>Unter {path} liegt keine Modelldatei. Prüfen Sie den Pfad, oder wählen Sie ein anderes Modell.</translation>
        </message>
        <message>
            <source>There is too little memory to go on. Close other programs, then try again; if that does not help, start Headwater again.</source>
            <translation>Der Speicher reicht nicht, um fortzufahren. Schließen Sie andere Programme, und versuchen Sie es erneut; wenn das nicht hilft, starten Sie Headwater neu.</translation>
        </message>
        <message>
            <source>This comparison is damaged.</source>
            <translation>Dieser Vergleich ist beschädigt.</translation>
        </message>
        <message>
            <source>This comparison is no longer there.</source>
            <translation>Diesen Vergleich gibt es nicht mehr.</translation>
        </message>
        <message>
            <source>This conversation is no longer there.</source>
            <translation>Diese Unterhaltung gibt es nicht mehr.</translation>
        </message>
        <message>
            <source>This conversation needs {needed:,} tokens; the window holds {context_size:,}. Leave out the oldest turns, or use a larger window.</source>
            <translation>Diese Unterhaltung braucht {needed:,} Tokens; das Kontextfenster fasst {context_size:,}. Lassen Sie die ältesten Wortwechsel weg, oder wählen Sie ein größeres Fenster.</translation>
        </message>
        <message>
            <source>This conversation needs {needed:,} tokens; the window holds {context_size:,}. Shorten it, or use a larger window.</source>
            <translation>Diese Unterhaltung braucht {needed:,} Tokens; das Kontextfenster fasst {context_size:,}. Kürzen Sie sie, oder wählen Sie ein größeres Fenster.</translation>
        </message>
        <message>
            <source>This engine answers from a model file; the request names a server.</source>
            <translation>Hier antwortet eine Modelldatei; die Anfrage nennt einen Server.</translation>
        </message>
        <message>
            <source>This engine answers from servers; the request names a model file.</source>
            <translation>Hier antworten Server; die Anfrage nennt eine Modelldatei.</translation>
        </message>
        <message>
            <source>This file ends before its last tensor (expected {expected}, found {found}). Download it again.</source>
            <translation>Die Datei endet vor ihrem letzten Tensor (erwartet {expected}, gefunden {found}). Laden Sie sie erneut herunter.</translation>
        </message>
        <message>
            <source>This is a folder. Choose a file in it.</source>
            <translation>Das ist ein Ordner. Wählen Sie eine Datei darin.</translation>
        </message>
        <message>
            <source>This is a web page, not a model. Download it again.</source>
            <translation>Das ist eine Webseite, kein Modell. Laden Sie die Datei erneut herunter.</translation>
        </message>
        <message>
            <source>This is no GGUF file. Choose another.</source>
            <translation>Das ist keine GGUF-Datei. Wählen Sie eine andere.</translation>
        </message>
        <message>
            <source>This is no file. Choose another.</source>
            <translation>Das ist keine Datei. Wählen Sie eine andere.</translation>
        </message>
        <message>
            <source>This processor lacks {names}, which this build of Headwater needs to run models. Choose a server's model, or build it from the source code: that fits the processor it is made on.</source>
            <translation>Diesem Prozessor fehlt {names}; ohne das kann dieses Headwater keine Modelle ausführen. Wählen Sie ein Modell auf einem Server, oder erstellen Sie Headwater aus dem Quelltext: Dann passt es zu dem Prozessor, auf dem es erstellt wird.</translation>
        </message>
        <message>
            <source>Time against length</source>
            <translation>Zeit nach Länge</translation>
        </message>
        <message>
            <source>Time by the limit</source>
            <translation>Zeit nach Grenze</translation>
        </message>
        <message>
            <source>Time for one token</source>
            <translation>Zeit für ein Token</translation>
        </message>
        <message>
            <source>Time of each turn</source>
            <translation>Zeit jeder Runde</translation>
        </message>
        <message>
            <source>Tokens, added up</source>
            <translation>Tokens, zusammengezählt</translation>
        </message>
        <message>
            <source>Too little was measured: it takes eight tokens and a second turn of each kind.</source>
            <translation>Zu wenig gemessen: Es braucht acht Tokens und eine zweite Runde jeder Art.</translation>
        </message>
        <message>
            <source>Too little was measured: it takes two lengths of prompts and two of answers.</source>
            <translation>Zu wenig gemessen: Es braucht Prompts und Antworten von je zwei Längen.</translation>
        </message>
        <message>
            <source>Too little was measured: it takes two limits and a longer answer.</source>
            <translation>Zu wenig gemessen: Es braucht zwei Grenzen und eine längere Antwort.</translation>
        </message>
        <message>
            <source>Too little was measured: it takes two turns, each with reuse and without.</source>
            <translation>Zu wenig gemessen: Es braucht zwei Runden, jede mit Wiederverwendung und ohne.</translation>
        </message>
        <message>
            <source>Too little was measured: no prompt was answered both ways.</source>
            <translation>Zu wenig gemessen: Kein Prompt wurde auf beide Arten beantwortet.</translation>
        </message>
        <message>
            <source>Turn by turn</source>
            <translation>Runde um Runde</translation>
        </message>
        <message>
            <source>Turn {turn} of {turns}, from nothing</source>
            <translation>Runde {turn} von {turns}, von vorn</translation>
        </message>
        <message>
            <source>Turn {turn} of {turns}, with what was read before</source>
            <translation>Runde {turn} von {turns}, mit dem schon Gelesenen</translation>
        </message>
        <message>
            <source>Two phases</source>
            <translation>Zwei Phasen</translation>
        </message>
        <message>
            <source>Warming up; not counted</source>
            <translation>Aufwärmen; zählt nicht</translation>
        </message>
        <message>
            <source>What if the model forgot what it has computed?</source>
            <translation>Was, wenn das Modell vergäße, was es berechnet hat?</translation>
        </message>
        <message>
            <source>What is named as a proxy for the Hub is not the address of one.</source>
            <translation>Was als Proxy für den Hub angegeben ist, ist nicht die Adresse eines Proxys.</translation>
        </message>
        <message>
            <source>What it costs</source>
            <translation>Was es kostet</translation>
        </message>
        <message>
            <source>When how much could be read</source>
            <translation>Wann wie viel zu lesen war</translation>
        </message>
        <message>
            <source>When the first words and the last are there</source>
            <translation>Wann die ersten und die letzten Wörter da sind</translation>
        </message>
        <message>
            <source>Whole answer</source>
            <translation>Ganze Antwort</translation>
        </message>
        <message>
            <source>Why do long conversations become slow and dear?</source>
            <translation>Warum werden lange Unterhaltungen langsam und teuer?</translation>
        </message>
        <message>
            <source>Why does a long answer take so long, and a long prompt much less?</source>
            <translation>Warum dauert eine lange Antwort so lange, und ein langer Prompt viel kürzer?</translation>
        </message>
        <message>
            <source>Window's work per token</source>
            <translation>Arbeit des Fensters je Token</translation>
        </message>
        <message>
            <source>With streaming, words appear as they are written; without it, the answer appears whole at its end. The model does the same work either way. This experiment asks three set prompts of different lengths both ways in turn, and compares when the first words were there and when the last.</source>
            <translation>Mit Streaming erscheinen Wörter, während sie geschrieben werden; ohne erscheint die Antwort am Ende als Ganzes. Das Modell tut in beiden Fällen dasselbe. Dieses Experiment stellt drei feste Prompts verschiedener Länge abwechselnd auf beide Arten und vergleicht, wann die ersten Wörter da waren und wann die letzten.</translation>
        </message>
        <message>
            <source>Write this server's address as {base_url_of}.</source>
            <translation>Schreiben Sie die Adresse dieses Servers als {base_url_of}.</translation>
        </message>
        <message>
            <source>Writing with the KV cache</source>
            <translation>Schreibt mit dem KV-Cache</translation>
        </message>
        <message>
            <source>Writing without it: token {number} of {count}</source>
            <translation>Schreibt ohne ihn: Token {number} von {count}</translation>
        </message>
        <message>
            <source>Writing {length:,} tokens, round {turn} of {rounds}</source>
            <translation>Schreibt {length:,} Tokens, Durchgang {turn} von {rounds}</translation>
        </message>
        <message>
            <source>You may not read this file. Have its permissions changed, or choose another.</source>
            <translation>Sie dürfen diese Datei nicht lesen. Lassen Sie ihre Rechte ändern, oder wählen Sie eine andere.</translation>
        </message>
        <message>
            <source>a PDF</source>
            <translation>ein PDF</translation>
        </message>
        <message>
            <source>a PowerPoint file</source>
            <translation>eine PowerPoint-Datei</translation>
        </message>
        <message>
            <source>a PowerPoint file; save it as .pdf</source>
            <translation>eine PowerPoint-Datei; sichern Sie sie als .pdf</translation>
        </message>
        <message>
            <source>a Word file</source>
            <translation>eine Word-Datei</translation>
        </message>
        <message>
            <source>a batch holds 1 to {batch_size} tokens; got {tokens}.</source>
            <translation>Ein Batch fasst 1 bis {batch_size} Tokens; es waren {tokens}.</translation>
        </message>
        <message>
            <source>a damaged archive. Get or save it again</source>
            <translation>ein beschädigtes Archiv. Holen oder sichern Sie es noch einmal</translation>
        </message>
        <message>
            <source>a draft holds up to {MOST_OUTPUTS} tokens; got {tokens}.</source>
            <translation>Ein Entwurf fasst bis zu {MOST_OUTPUTS} Tokens; es waren {tokens}.</translation>
        </message>
        <message>
            <source>a longer answer</source>
            <translation>eine längere Antwort</translation>
        </message>
        <message>
            <source>a picture; only text can be read</source>
            <translation>ein Bild; nur Text lässt sich lesen</translation>
        </message>
        <message>
            <source>a piece of it is no JSON object.</source>
            <translation>Ein Teil davon ist kein JSON-Objekt.</translation>
        </message>
        <message>
            <source>a piece of it is no JSON.</source>
            <translation>Ein Teil davon ist kein JSON.</translation>
        </message>
        <message>
            <source>a piece of it is too long to be one.</source>
            <translation>Ein Teil davon ist zu lang.</translation>
        </message>
        <message>
            <source>a piece of its text is no text.</source>
            <translation>Ein Teil ihres Textes ist kein Text.</translation>
        </message>
        <message>
            <source>a sampler could not be made.</source>
            <translation>Ein Sampler ließ sich nicht anlegen.</translation>
        </message>
        <message>
            <source>a sound or video file; only text can be read</source>
            <translation>eine Ton- oder Videodatei; nur Text lässt sich lesen</translation>
        </message>
        <message>
            <source>a token is none of this model's.</source>
            <translation>Ein Token gehört nicht zu diesem Modell.</translation>
        </message>
        <message>
            <source>a web page</source>
            <translation>eine Webseite</translation>
        </message>
        <message>
            <source>a window of {size:,} tokens</source>
            <translation>einem Kontextfenster von {size:,} Tokens</translation>
        </message>
        <message>
            <source>all rounds</source>
            <translation>alle Durchgänge</translation>
        </message>
        <message>
            <source>an Excel file</source>
            <translation>eine Excel-Datei</translation>
        </message>
        <message>
            <source>an Excel file; save the sheet as .csv</source>
            <translation>eine Excel-Datei; sichern Sie das Blatt als .csv</translation>
        </message>
        <message>
            <source>an Office file of the old kind, or one with a password; save it as .docx, .csv or .pdf, without a password</source>
            <translation>eine Office-Datei der alten Art oder eine mit Passwort; sichern Sie sie als .docx, .csv oder .pdf, ohne Passwort</translation>
        </message>
        <message>
            <source>an OpenDocument file</source>
            <translation>eine OpenDocument-Datei</translation>
        </message>
        <message>
            <source>an OpenDocument file; save it as .docx or .pdf</source>
            <translation>eine OpenDocument-Datei; sichern Sie sie als .docx oder .pdf</translation>
        </message>
        <message>
            <source>an archive; unpack it</source>
            <translation>ein Archiv; entpacken Sie es</translation>
        </message>
        <message>
            <source>an e-book; save it as .pdf or plain text</source>
            <translation>ein E-Book; sichern Sie es als .pdf oder einfachen Text</translation>
        </message>
        <message>
            <source>another address</source>
            <translation>eine andere Adresse</translation>
        </message>
        <message>
            <source>another device</source>
            <translation>ein anderes Gerät</translation>
        </message>
        <message>
            <source>another file has its place now</source>
            <translation>An seiner Stelle liegt jetzt eine andere Datei</translation>
        </message>
        <message>
            <source>answer</source>
            <translation>Antwort</translation>
        </message>
        <message>
            <source>answer (decode)</source>
            <translation>Antwort (Decode)</translation>
        </message>
        <message>
            <source>any model</source>
            <translation>dieses Modell</translation>
        </message>
        <message>
            <source>but not all of them could be brought back to it</source>
            <translation>doch nicht alle ließen sich darauf zurücksetzen</translation>
        </message>
        <message>
            <source>cached tokens</source>
            <translation>gecachte Tokens</translation>
        </message>
        <message>
            <source>called a Word file, but is an archive without a document in it; get or save it again</source>
            <translation>dem Namen nach eine Word-Datei, aber ein Archiv ohne Dokument darin; holen oder sichern Sie sie noch einmal</translation>
        </message>
        <message>
            <source>cancelled</source>
            <translation>Abbruch</translation>
        </message>
        <message>
            <source>decode rate</source>
            <translation>Decode-Rate</translation>
        </message>
        <message>
            <source>ended by</source>
            <translation>beendet durch</translation>
        </message>
        <message>
            <source>estimated cost with</source>
            <translation>geschätzte Kosten mit</translation>
        </message>
        <message>
            <source>figure</source>
            <translation>Messgröße</translation>
        </message>
        <message>
            <source>first text</source>
            <translation>erster Text</translation>
        </message>
        <message>
            <source>first token (s)</source>
            <translation>erstes Token (s)</translation>
        </message>
        <message>
            <source>first words, streaming off</source>
            <translation>erste Wörter, Streaming aus</translation>
        </message>
        <message>
            <source>first words, streaming on</source>
            <translation>erste Wörter, Streaming an</translation>
        </message>
        <message>
            <source>highest</source>
            <translation>Maximum</translation>
        </message>
        <message>
            <source>highest round</source>
            <translation>höchster Durchgang</translation>
        </message>
        <message>
            <source>in 1 second</source>
            <translation>in 1 Sekunde</translation>
        </message>
        <message>
            <source>in {seconds:,.0f} seconds</source>
            <translation>in {seconds:,.0f} Sekunden</translation>
        </message>
        <message>
            <source>in {turns} turns {sent:,} tokens were sent, of which {read:,} had to be read with reuse; the turns took {faster} with it and {slower} without ({times} times){money} (one conversation each, so no spread is known)</source>
            <translation>in {turns} Runden wurden {sent:,} Tokens gesendet, von denen mit Wiederverwendung {read:,} zu lesen waren; die Runden dauerten mit ihr {faster} und ohne sie {slower} (das {times}-Fache){money} (je eine Unterhaltung, daher ist keine Streuung bekannt)</translation>
        </message>
        <message>
            <source>it answers {status}</source>
            <translation>Er antwortet mit {status}</translation>
        </message>
        <message>
            <source>it answers {status}, which is not expected</source>
            <translation>Er antwortet mit {status}, was nicht zu erwarten war</translation>
        </message>
        <message>
            <source>it asks for the time in too many letters</source>
            <translation>Sie fragt mit zu vielen Buchstaben nach der Zeit</translation>
        </message>
        <message>
            <source>it crashed (0x{status:08X})</source>
            <translation>Er ist abgestürzt (0x{status:08X})</translation>
        </message>
        <message>
            <source>it crashed (SIGBUS), as it does when a file changes or a disk fails while it is read</source>
            <translation>Er ist abgestürzt (SIGBUS), wie es geschieht, wenn sich beim Lesen eine Datei ändert oder ein Datenträger versagt</translation>
        </message>
        <message>
            <source>it crashed (SIGFPE)</source>
            <translation>Er ist abgestürzt (SIGFPE)</translation>
        </message>
        <message>
            <source>it crashed (SIGSEGV)</source>
            <translation>Er ist abgestürzt (SIGSEGV)</translation>
        </message>
        <message>
            <source>it did not answer in time</source>
            <translation>Er hat nicht rechtzeitig geantwortet</translation>
        </message>
        <message>
            <source>it did not answer within {seconds:,.0f} seconds</source>
            <translation>Er hat nicht innerhalb von {seconds:,.0f} Sekunden geantwortet</translation>
        </message>
        <message>
            <source>it does more than a template may</source>
            <translation>Sie tut mehr, als eine Vorlage darf</translation>
        </message>
        <message>
            <source>it does not answer with https.</source>
            <translation>Er antwortet nicht mit https.</translation>
        </message>
        <message>
            <source>it does not come to an end</source>
            <translation>Sie kommt zu keinem Ende</translation>
        </message>
        <message>
            <source>it does not list its models.</source>
            <translation>Sie führt seine Modelle nicht auf.</translation>
        </message>
        <message>
            <source>it ended the connection without an answer.</source>
            <translation>Er hat die Verbindung ohne Antwort beendet.</translation>
        </message>
        <message>
            <source>it ended with signal {number}</source>
            <translation>Er endete mit Signal {number}</translation>
        </message>
        <message>
            <source>it ended with {name}</source>
            <translation>Er endete mit {name}</translation>
        </message>
        <message>
            <source>it ended without saying why.</source>
            <translation>Sie endete, ohne zu sagen, warum.</translation>
        </message>
        <message>
            <source>it formats with too large or unknown widths</source>
            <translation>Sie formatiert mit zu großen oder unbekannten Breiten</translation>
        </message>
        <message>
            <source>it gave up</source>
            <translation>Er hat aufgegeben</translation>
        </message>
        <message>
            <source>it gave up (SIGABRT)</source>
            <translation>Er hat aufgegeben (SIGABRT)</translation>
        </message>
        <message>
            <source>it gives no checksum for it</source>
            <translation>Er nennt keine Prüfsumme dafür</translation>
        </message>
        <message>
            <source>it indents too far</source>
            <translation>Sie rückt zu weit ein</translation>
        </message>
        <message>
            <source>it is empty.</source>
            <translation>Sie ist leer.</translation>
        </message>
        <message>
            <source>it is nested too deep.</source>
            <translation>Sie ist zu tief verschachtelt.</translation>
        </message>
        <message>
            <source>it is nested too deeply for llama.cpp.</source>
            <translation>Sie ist für llama.cpp zu tief verschachtelt.</translation>
        </message>
        <message>
            <source>it is too long to be one.</source>
            <translation>Sie ist zu lang für eine Vorlage.</translation>
        </message>
        <message>
            <source>it makes a title of too long a text</source>
            <translation>Sie macht aus zu langem Text einen Titel</translation>
        </message>
        <message>
            <source>it makes too large a number</source>
            <translation>Sie erzeugt eine zu große Zahl</translation>
        </message>
        <message>
            <source>it makes too large a text</source>
            <translation>Sie erzeugt einen zu langen Text</translation>
        </message>
        <message>
            <source>it names a file outside of itself</source>
            <translation>Das Repository nennt eine Datei, die außerhalb liegt</translation>
        </message>
        <message>
            <source>it renders nothing.</source>
            <translation>Sie stellt nichts dar.</translation>
        </message>
        <message>
            <source>it sends another part of the file than it was asked for</source>
            <translation>Er sendet einen anderen Teil der Datei als angefragt</translation>
        </message>
        <message>
            <source>it sends on from one address to the next without end</source>
            <translation>Er leitet endlos von einer Adresse zur nächsten weiter</translation>
        </message>
        <message>
            <source>it sends the file in another form than it was asked for</source>
            <translation>Er sendet die Datei in anderer Form als angefragt</translation>
        </message>
        <message>
            <source>it takes too much memory.</source>
            <translation>Sie braucht zu viel Speicher.</translation>
        </message>
        <message>
            <source>it used an instruction this processor does not have (SIGILL)</source>
            <translation>Er verwendete einen Befehl, den dieser Prozessor nicht hat (SIGILL)</translation>
        </message>
        <message>
            <source>its answer cannot be unpacked</source>
            <translation>Seine Antwort lässt sich nicht entpacken</translation>
        </message>
        <message>
            <source>its answer makes no sense ({name__})</source>
            <translation>Seine Antwort ergibt keinen Sinn ({name__})</translation>
        </message>
        <message>
            <source>its certificate is not trusted ({reason})</source>
            <translation>Seinem Zertifikat wird nicht vertraut ({reason})</translation>
        </message>
        <message>
            <source>its content filter ended it.</source>
            <translation>Der Inhaltsfilter des Servers hat sie beendet.</translation>
        </message>
        <message>
            <source>its disk knows no locks</source>
            <translation>Sein Datenträger kennt keine Sperren</translation>
        </message>
        <message>
            <source>its storage answers {status}</source>
            <translation>Sein Speicher antwortet mit {status}</translation>
        </message>
        <message>
            <source>its text can be read in too many ways by this grammar.</source>
            <translation>Der Text lässt sich mit dieser Grammatik auf zu viele Weisen lesen.</translation>
        </message>
        <message>
            <source>later</source>
            <translation>später</translation>
        </message>
        <message>
            <source>length</source>
            <translation>Grenze</translation>
        </message>
        <message>
            <source>limit</source>
            <translation>Grenze</translation>
        </message>
        <message>
            <source>limit (tokens)</source>
            <translation>Grenze (Tokens)</translation>
        </message>
        <message>
            <source>llama.cpp cannot read it.</source>
            <translation>llama.cpp kann sie nicht lesen.</translation>
        </message>
        <message>
            <source>llama.cpp cannot run {name}: tried in a process of its own, {outcome}.{said}{way}</source>
            <translation>llama.cpp kann {name} nicht ausführen. Beim Versuch in einem eigenen Prozess: {outcome}.{said}{way}</translation>
        </message>
        <message>
            <source>llama.cpp does not say why.</source>
            <translation>llama.cpp sagt nicht, warum.</translation>
        </message>
        <message>
            <source>llama.cpp found no room in its memory.</source>
            <translation>llama.cpp fand keinen Platz in seinem Speicher.</translation>
        </message>
        <message>
            <source>llama.cpp refused with {result}.</source>
            <translation>llama.cpp hat mit {result} abgelehnt.</translation>
        </message>
        <message>
            <source>llama.cpp says: {reason}.</source>
            <translation>llama.cpp sagt: {reason}.</translation>
        </message>
        <message>
            <source>llama.cpp takes too long over it.</source>
            <translation>llama.cpp braucht zu lange dafür.</translation>
        </message>
        <message>
            <source>llama.cpp would not live through it: a rule may begin with itself, by way of others.</source>
            <translation>llama.cpp würde daran abstürzen: Eine Regel kann über andere mit sich selbst beginnen.</translation>
        </message>
        <message>
            <source>load average {load:.2f}</source>
            <translation>Systemlast {load:.2f}</translation>
        </message>
        <message>
            <source>logit_bias names token {biases}; this model has {size:,}, from 0.</source>
            <translation>logit_bias nennt Token {biases}; dieses Modell hat {size:,}, ab 0.</translation>
        </message>
        <message>
            <source>long</source>
            <translation>lang</translation>
        </message>
        <message>
            <source>lowest</source>
            <translation>Minimum</translation>
        </message>
        <message>
            <source>lowest round</source>
            <translation>niedrigster Durchgang</translation>
        </message>
        <message>
            <source>max_tokens is not latency</source>
            <translation>max_tokens ist nicht Latenz</translation>
        </message>
        <message>
            <source>max_tokens says when to cut an answer off, not how long it will be. The time goes into the tokens that are really written. This experiment lets the model give the same short answer under limits from 64 to 4,096 tokens, and then a really longer answer to the same prompt. It shows why an answer of 500 words is slower than one of 50, whatever the limit says.</source>
            <translation>max_tokens sagt, wann eine Antwort abgeschnitten wird, nicht wie lang sie wird. Die Zeit geht in die Tokens, die wirklich geschrieben werden. Dieses Experiment lässt das Modell dieselbe kurze Antwort unter Grenzen von 64 bis 4.096 Tokens geben, und dann eine wirklich längere Antwort auf denselben Prompt. Es zeigt, warum eine Antwort von 500 Wörtern langsamer ist als eine von 50, was immer die Grenze sagt.</translation>
        </message>
        <message>
            <source>median</source>
            <translation>Median</translation>
        </message>
        <message>
            <source>n = {count}</source>
            <translation>n = {count}</translation>
        </message>
        <message>
            <source>no token of this model goes on as the grammar wants.</source>
            <translation>Kein Token dieses Modells geht so weiter, wie es die Grammatik verlangt.</translation>
        </message>
        <message>
            <source>nothing of the prompt was there</source>
            <translation>vom Prompt war nichts da</translation>
        </message>
        <message>
            <source>off</source>
            <translation>aus</translation>
        </message>
        <message>
            <source>on</source>
            <translation>an</translation>
        </message>
        <message>
            <source>one more token of the prompt costs {per_input}, one more token of the answer {per_output}: {times} times as much ({spread})</source>
            <translation>ein Token mehr im Prompt kostet {per_input}, ein Token mehr in der Antwort {per_output}: das {times}-Fache ({spread})</translation>
        </message>
        <message>
            <source>one round, so no spread is known</source>
            <translation>ein Durchgang, daher ist keine Streuung bekannt</translation>
        </message>
        <message>
            <source>one run each, so no spread is known</source>
            <translation>je ein Lauf, daher ist keine Streuung bekannt</translation>
        </message>
        <message>
            <source>phase</source>
            <translation>Phase</translation>
        </message>
        <message>
            <source>plain roles</source>
            <translation>einfache Rollen</translation>
        </message>
        <message>
            <source>plain text</source>
            <translation>einfachen Text</translation>
        </message>
        <message>
            <source>processor clock {clock:,.0f} MHz</source>
            <translation>Prozessortakt {clock:,.0f} MHz</translation>
        </message>
        <message>
            <source>prompt</source>
            <translation>Prompt</translation>
        </message>
        <message>
            <source>prompt (prefill)</source>
            <translation>Prompt (Prefill)</translation>
        </message>
        <message>
            <source>prompt tokens</source>
            <translation>Tokens des Prompts</translation>
        </message>
        <message>
            <source>read</source>
            <translation>gelesen</translation>
        </message>
        <message>
            <source>read anew, with reuse</source>
            <translation>neu gelesen, mit Wiederverwendung</translation>
        </message>
        <message>
            <source>read with reuse</source>
            <translation>gelesen mit Wiederverwendung</translation>
        </message>
        <message>
            <source>reading a prompt</source>
            <translation>Prompt lesen</translation>
        </message>
        <message>
            <source>reading, line</source>
            <translation>Lesen, Gerade</translation>
        </message>
        <message>
            <source>reuse</source>
            <translation>Wiederverwendung</translation>
        </message>
        <message>
            <source>round</source>
            <translation>Durchgang</translation>
        </message>
        <message>
            <source>run</source>
            <translation>Lauf</translation>
        </message>
        <message>
            <source>seconds</source>
            <translation>Sekunden</translation>
        </message>
        <message>
            <source>seconds with</source>
            <translation>Sekunden mit</translation>
        </message>
        <message>
            <source>seconds without</source>
            <translation>Sekunden ohne</translation>
        </message>
        <message>
            <source>sent</source>
            <translation>gesendet</translation>
        </message>
        <message>
            <source>sent so far</source>
            <translation>bisher gesendet</translation>
        </message>
        <message>
            <source>series</source>
            <translation>Reihe</translation>
        </message>
        <message>
            <source>short</source>
            <translation>kurz</translation>
        </message>
        <message>
            <source>stop</source>
            <translation>Modell</translation>
        </message>
        <message>
            <source>streaming</source>
            <translation>Streaming</translation>
        </message>
        <message>
            <source>streaming {mode}</source>
            <translation>Streaming {mode}</translation>
        </message>
        <message>
            <source>text</source>
            <translation>Text</translation>
        </message>
        <message>
            <source>the CPU</source>
            <translation>der CPU</translation>
        </message>
        <message>
            <source>the Hub</source>
            <translation>der Hub</translation>
        </message>
        <message>
            <source>the JSON schema cannot be followed: {reason}.</source>
            <translation>Das JSON-Schema lässt sich nicht befolgen: {reason}.</translation>
        </message>
        <message>
            <source>the JSON schema counts to {times:,}; a grammar counts to {MOST_TIMES:,} at the most.</source>
            <translation>Das JSON-Schema zählt bis {times:,}; eine Grammatik zählt höchstens bis {MOST_TIMES:,}.</translation>
        </message>
        <message>
            <source>the JSON schema counts too far; a grammar counts to {MOST_TIMES:,} at the most.</source>
            <translation>Das JSON-Schema zählt zu weit; eine Grammatik zählt höchstens bis {MOST_TIMES:,}.</translation>
        </message>
        <message>
            <source>the JSON schema is nested too deeply, or its names are too long.</source>
            <translation>Das JSON-Schema ist zu tief verschachtelt, oder seine Namen sind zu lang.</translation>
        </message>
        <message>
            <source>the JSON schema is nested too deeply.</source>
            <translation>Das JSON-Schema ist zu tief verschachtelt.</translation>
        </message>
        <message>
            <source>the JSON schema is too long.</source>
            <translation>Das JSON-Schema ist zu lang.</translation>
        </message>
        <message>
            <source>the JSON schema makes too many rules.</source>
            <translation>Das JSON-Schema ergibt zu viele Regeln.</translation>
        </message>
        <message>
            <source>the connection broke off</source>
            <translation>Die Verbindung ist abgebrochen</translation>
        </message>
        <message>
            <source>the connection broke off in the middle of it.</source>
            <translation>Die Verbindung brach mittendrin ab.</translation>
        </message>
        <message>
            <source>the connection ended too early</source>
            <translation>Die Verbindung endete zu früh</translation>
        </message>
        <message>
            <source>the connection failed.</source>
            <translation>Die Verbindung ist fehlgeschlagen.</translation>
        </message>
        <message>
            <source>the context window of {context_size:,} tokens is full.</source>
            <translation>Das Kontextfenster von {context_size:,} Tokens ist voll.</translation>
        </message>
        <message>
            <source>the folder went away</source>
            <translation>Der Ordner ist verschwunden</translation>
        </message>
        <message>
            <source>the model was freed.</source>
            <translation>Das Modell wurde freigegeben.</translation>
        </message>
        <message>
            <source>the model “{model}”</source>
            <translation>das Modell „{model}“</translation>
        </message>
        <message>
            <source>the model's own</source>
            <translation>die des Modells</translation>
        </message>
        <message>
            <source>the one given</source>
            <translation>die angegebene</translation>
        </message>
        <message>
            <source>the proxy or the certificates that are set in the environment cannot be used.</source>
            <translation>Der Proxy oder die Zertifikate, die in der Umgebung gesetzt sind, lassen sich nicht verwenden.</translation>
        </message>
        <message>
            <source>the proxy refuses the connection</source>
            <translation>Der Proxy lehnt die Verbindung ab</translation>
        </message>
        <message>
            <source>the proxy that is set, or the certificates, cannot be used.</source>
            <translation>Der eingestellte Proxy oder die Zertifikate lassen sich nicht verwenden.</translation>
        </message>
        <message>
            <source>the request holds what cannot be sent</source>
            <translation>Die Anfrage enthält etwas, das sich nicht senden lässt</translation>
        </message>
        <message>
            <source>the same answer of {tokens:,} tokens took {at_lowest} under a limit of {lowest:,} and {at_highest} under {highest:,} ({least} to {most} in all); one of {more:,} tokens took {longer}, {times} times as long</source>
            <translation>dieselbe Antwort von {tokens:,} Tokens dauerte {at_lowest} bei einer Grenze von {lowest:,} und {at_highest} bei {highest:,} (insgesamt {least} bis {most}); eine von {more:,} Tokens dauerte {longer}, das {times}-Fache</translation>
        </message>
        <message>
            <source>the same short answer</source>
            <translation>dieselbe kurze Antwort</translation>
        </message>
        <message>
            <source>the server ended it.</source>
            <translation>Der Server hat sie beendet.</translation>
        </message>
        <message>
            <source>the server gave up on it.</source>
            <translation>Der Server hat sie aufgegeben.</translation>
        </message>
        <message>
            <source>the server reports an error.</source>
            <translation>Der Server meldet einen Fehler.</translation>
        </message>
        <message>
            <source>the server sent a web page.</source>
            <translation>Der Server hat eine Webseite gesendet.</translation>
        </message>
        <message>
            <source>the server sent something else than a stream.</source>
            <translation>Der Server hat etwas anderes als einen Stream gesendet.</translation>
        </message>
        <message>
            <source>the system ended it (SIGKILL), as it does when memory runs out</source>
            <translation>Das System hat ihn beendet (SIGKILL), wie es das tut, wenn der Speicher ausgeht</translation>
        </message>
        <message>
            <source>the whole answer took the same time within the spread: {both}</source>
            <translation>die ganze Antwort dauerte im Rahmen der Streuung gleich lang: {both}</translation>
        </message>
        <message>
            <source>the whole answer took the same time: {both}</source>
            <translation>die ganze Antwort dauerte gleich lang: {both}</translation>
        </message>
        <message>
            <source>the whole answer took {apart} less with streaming: {both}</source>
            <translation>die ganze Antwort dauerte mit Streaming {apart} kürzer: {both}</translation>
        </message>
        <message>
            <source>the whole answer took {apart} longer with streaming: {both}</source>
            <translation>die ganze Antwort dauerte mit Streaming {apart} länger: {both}</translation>
        </message>
        <message>
            <source>there is a NUL character in it.</source>
            <translation>Darin steht ein NUL-Zeichen.</translation>
        </message>
        <message>
            <source>there is half a character in it.</source>
            <translation>Darin steht ein halbes Zeichen.</translation>
        </message>
        <message>
            <source>there is nothing to sample from.</source>
            <translation>Es gibt nichts, woraus gewählt werden könnte.</translation>
        </message>
        <message>
            <source>this search</source>
            <translation>diese Suche</translation>
        </message>
        <message>
            <source>time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>tok/s</source>
            <translation>Tok/s</translation>
        </message>
        <message>
            <source>tokens</source>
            <translation>Tokens</translation>
        </message>
        <message>
            <source>tokens held</source>
            <translation>gehaltene Tokens</translation>
        </message>
        <message>
            <source>tokens sent</source>
            <translation>gesendete Tokens</translation>
        </message>
        <message>
            <source>tokens written</source>
            <translation>geschriebene Tokens</translation>
        </message>
        <message>
            <source>turn</source>
            <translation>Runde</translation>
        </message>
        <message>
            <source>what</source>
            <translation>was</translation>
        </message>
        <message>
            <source>what was written so far does not follow it.</source>
            <translation>Was bisher geschrieben wurde, folgt ihr nicht.</translation>
        </message>
        <message>
            <source>whole answer</source>
            <translation>ganze Antwort</translation>
        </message>
        <message>
            <source>whole answer, streaming off</source>
            <translation>ganze Antwort, Streaming aus</translation>
        </message>
        <message>
            <source>whole answer, streaming on</source>
            <translation>ganze Antwort, Streaming an</translation>
        </message>
        <message>
            <source>window</source>
            <translation>Fenster</translation>
        </message>
        <message>
            <source>with</source>
            <translation>mit</translation>
        </message>
        <message>
            <source>with prefix reuse</source>
            <translation>mit Wiederverwendung des Anfangs</translation>
        </message>
        <message>
            <source>with the KV cache</source>
            <translation>mit dem KV-Cache</translation>
        </message>
        <message>
            <source>with the cache (s)</source>
            <translation>mit dem Cache (s)</translation>
        </message>
        <message>
            <source>with the cache a token took {cached} ({least} to {most}), without it {early} at first and {late} at last, {times} times as much in the middle; a second turn waited {reused} for its first token with reuse and {fresh} without (n = {count})</source>
            <translation>mit dem Cache dauerte ein Token {cached} ({least} bis {most}), ohne ihn anfangs {early} und zuletzt {late}, im Median das {times}-Fache; eine zweite Runde wartete auf ihr erstes Token {reused} mit Wiederverwendung und {fresh} ohne (n = {count})</translation>
        </message>
        <message>
            <source>with {tokens:,} tokens to read, first words after {first}, all after {total} (on and off, n = {runs})</source>
            <translation>bei {tokens:,} zu lesenden Tokens erste Wörter nach {first}, alle nach {total} (an und aus, n = {runs})</translation>
        </message>
        <message>
            <source>without</source>
            <translation>ohne</translation>
        </message>
        <message>
            <source>without (s)</source>
            <translation>ohne (s)</translation>
        </message>
        <message>
            <source>without it</source>
            <translation>ohne ihn</translation>
        </message>
        <message>
            <source>writing an answer</source>
            <translation>Antwort schreiben</translation>
        </message>
        <message>
            <source>writing, line</source>
            <translation>Schreiben, Gerade</translation>
        </message>
        <message>
            <source>written</source>
            <translation>geschrieben</translation>
        </message>
        <message>
            <source>{amount} {currency}</source>
            <translation>{amount} {currency}</translation>
        </message>
        <message>
            <source>{cost:,.2f}</source>
            <translation>{cost:,.2f}</translation>
        </message>
        <message>
            <source>{cost:.3g}</source>
            <translation>{cost:.3g}</translation>
        </message>
        <message>
            <source>{cost:.7f}</source>
            <translation>{cost:.7f}</translation>
        </message>
        <message>
            <source>{count:,} messages</source>
            <translation>{count:,} Nachrichten</translation>
        </message>
        <message>
            <source>{count:.2f} processors busy with other programs</source>
            <translation>{count:.2f} Prozessoren mit anderen Programmen beschäftigt</translation>
        </message>
        <message>
            <source>{count} threads</source>
            <translation>{count} Threads</translation>
        </message>
        <message>
            <source>{device}, {used:.1f} of {total:.1f} GB</source>
            <translation>{device}, {used:.1f} von {total:.1f} GB</translation>
        </message>
        <message>
            <source>{fewer} threads, not {usual}: the last reply was written at {last_rate:,.3g} tokens/s, usually it is {usual_rate:,.3g}. Something else uses the processor.</source>
            <translation>{fewer} Threads, nicht {usual}: Die letzte Antwort wurde mit {last_rate:,.3g} Tokens/s geschrieben, sonst sind es {usual_rate:,.3g}. Etwas anderes nutzt den Prozessor.</translation>
        </message>
        <message>
            <source>{figures:capital}.</source>
            <translation>{figures:capital}.</translation>
        </message>
        <message>
            <source>{first}; {total}, {runs}.{doubt}</source>
            <translation>{first}; {total}, {runs}.{doubt}</translation>
        </message>
        <message>
            <source>{held} tokens are held; {length} cannot be kept.</source>
            <translation>{held} Tokens sind vorhanden; {length} lassen sich nicht behalten.</translation>
        </message>
        <message>
            <source>{lowest} to {highest} in {count} rounds</source>
            <translation>{lowest} bis {highest} in {count} Durchgängen</translation>
        </message>
        <message>
            <source>{median} ({lowest} to {highest})</source>
            <translation>{median} ({lowest} bis {highest})</translation>
        </message>
        <message>
            <source>{mode} {number}</source>
            <translation>{mode} {number}</translation>
        </message>
        <message>
            <source>{mode}, {figure}</source>
            <translation>{mode}, {figure}</translation>
        </message>
        <message>
            <source>{names} had no room for {refused} of {layers} layers.</source>
            <translation>Auf {names} war kein Platz für {refused} von {layers} Schichten.</translation>
        </message>
        <message>
            <source>{names}: {here} of {layers} layers</source>
            <translation>{names}: {here} von {layers} Schichten</translation>
        </message>
        <message>
            <source>{name} ({unit})</source>
            <translation>{name} ({unit})</translation>
        </message>
        <message>
            <source>{name} cannot be read as a model: {reason}</source>
            <translation>{name} lässt sich nicht als Modell lesen: {reason}</translation>
        </message>
        <message>
            <source>{name} cannot be read: {reason}.</source>
            <translation>{name} lässt sich nicht lesen: {reason}.</translation>
        </message>
        <message>
            <source>{name} cannot be used for chat: {reason} Choose another model.</source>
            <translation>{name} eignet sich nicht zum Chatten: {reason} Wählen Sie ein anderes Modell.</translation>
        </message>
        <message>
            <source>{name} could not be read: a fault of Headwater's own.</source>
            <translation>{name} ließ sich nicht lesen: ein Fehler in Headwater selbst.</translation>
        </message>
        <message>
            <source>{name} does not belong to Headwater, so it is not deleted from here.</source>
            <translation>{name} gehört nicht zu Headwater und wird deshalb nicht von hier aus gelöscht.</translation>
        </message>
        <message>
            <source>{name} does not fit into memory (about {needed} needed). Choose a smaller model, or close other programs and try again.</source>
            <translation>{name} passt nicht in den Speicher (nötig sind etwa {needed}). Wählen Sie ein kleineres Modell, oder schließen Sie andere Programme, und versuchen Sie es erneut.</translation>
        </message>
        <message>
            <source>{name} does not fit into memory with a context window of {context_size:,} tokens (about {needed} needed besides its weights). Choose a smaller window or a smaller model.</source>
            <translation>{name} passt mit einem Kontextfenster von {context_size:,} Tokens nicht in den Speicher (nötig sind neben seinen Gewichten etwa {needed}). Wählen Sie ein kleineres Fenster oder ein kleineres Modell.</translation>
        </message>
        <message>
            <source>{name} does not fit into memory with a context window of {context_size:,} tokens. Choose a smaller window or a smaller model.</source>
            <translation>{name} passt mit einem Kontextfenster von {context_size:,} Tokens nicht in den Speicher. Wählen Sie ein kleineres Fenster oder ein kleineres Modell.</translation>
        </message>
        <message>
            <source>{name} does not fit into memory. Choose a smaller model, or close other programs and try again.</source>
            <translation>{name} passt nicht in den Speicher. Wählen Sie ein kleineres Modell, oder schließen Sie andere Programme, und versuchen Sie es erneut.</translation>
        </message>
        <message>
            <source>{name} expands to more than {megabytes} MB.</source>
            <translation>{name} ist ausgepackt größer als {megabytes} MB.</translation>
        </message>
        <message>
            <source>{name} has a password. Save a copy without one.</source>
            <translation>{name} hat ein Passwort. Sichern Sie eine Kopie ohne.</translation>
        </message>
        <message>
            <source>{name} has no text: its pages may be pictures.</source>
            <translation>{name} enthält keinen Text: Die Seiten sind vielleicht Bilder.</translation>
        </message>
        <message>
            <source>{name} has {pages:,} pages; up to {most:,} can be read. Take a part of it.</source>
            <translation>{name} hat {pages:,} Seiten; bis zu {most:,} lassen sich lesen. Nehmen Sie einen Teil davon.</translation>
        </message>
        <message>
            <source>{name} is a damaged archive, or one with a password.</source>
            <translation>{name} ist ein beschädigtes Archiv oder eines mit Passwort.</translation>
        </message>
        <message>
            <source>{name} is an archive without a conversations.json in it.</source>
            <translation>{name} ist ein Archiv ohne conversations.json darin.</translation>
        </message>
        <message>
            <source>{name} is called {kind} but holds {what}. Get the file again, or rename it to end in .{suffix} to attach it as it is.</source>
            <translation>{name} heißt wie {kind}, enthält aber {what}. Holen Sie die Datei noch einmal, oder lassen Sie ihren Namen auf .{suffix} enden, um sie so anzuhängen, wie sie ist.</translation>
        </message>
        <message>
            <source>{name} is damaged, or takes more memory than a document should. Get or save it again.</source>
            <translation>{name} ist beschädigt oder braucht mehr Speicher, als ein Dokument sollte. Holen oder sichern Sie die Datei noch einmal.</translation>
        </message>
        <message>
            <source>{name} is damaged: it is not what Headwater writes at {place}. Nothing of it was taken.</source>
            <translation>{name} ist beschädigt: Bei {place} steht nicht, was Headwater schreibt. Nichts davon wurde übernommen.</translation>
        </message>
        <message>
            <source>{name} is empty.</source>
            <translation>{name} ist leer.</translation>
        </message>
        <message>
            <source>{name} is made of {parts:,} parts; up to {most:,} can be read.</source>
            <translation>{name} besteht aus {parts:,} Teilen; bis zu {most:,} lassen sich lesen.</translation>
        </message>
        <message>
            <source>{name} is not a file.</source>
            <translation>{name} ist keine Datei.</translation>
        </message>
        <message>
            <source>{name} is not text, or in an encoding that is not known.</source>
            <translation>{name} ist kein Text oder hat eine unbekannte Zeichencodierung.</translation>
        </message>
        <message>
            <source>{name} is too large for the memory of this machine.</source>
            <translation>{name} ist für den Speicher dieses Rechners zu groß.</translation>
        </message>
        <message>
            <source>{name} is too large: files of up to {megabytes} MB can be attached.</source>
            <translation>{name} ist zu groß: Dateien bis {megabytes} MB lassen sich anhängen.</translation>
        </message>
        <message>
            <source>{name} is too large: {megabytes} MB of text can be read at once.</source>
            <translation>{name} ist zu groß: {megabytes} MB Text lassen sich auf einmal lesen.</translation>
        </message>
        <message>
            <source>{name} is too long: {length:,} characters. Up to {most:,} can be attached; take a part of it.</source>
            <translation>{name} ist zu lang: {length:,} Zeichen. Bis zu {most:,} lassen sich anhängen; nehmen Sie einen Teil davon.</translation>
        </message>
        <message>
            <source>{name} is {kind}.</source>
            <translation>{name} ist {kind}.</translation>
        </message>
        <message>
            <source>{name} should be an ordinary file</source>
            <translation>{name} sollte eine gewöhnliche Datei sein</translation>
        </message>
        <message>
            <source>{name} was not read within {seconds:,.0f} seconds.</source>
            <translation>{name} war nach {seconds:,.0f} Sekunden nicht gelesen.</translation>
        </message>
        <message>
            <source>{name} was to run on {device}, which is not here. Choose {others}.</source>
            <translation>{name} sollte auf {device} laufen, das hier fehlt. Wählen Sie {others}.</translation>
        </message>
        <message>
            <source>{name} was written by a newer version of Headwater. Install that version to read it.</source>
            <translation>{name} stammt von einer neueren Version von Headwater. Installieren Sie diese, um die Datei zu lesen.</translation>
        </message>
        <message>
            <source>{one} or {other}</source>
            <translation>{one} oder {other}</translation>
        </message>
        <message>
            <source>{one}, {other}</source>
            <translation>{one}, {other}</translation>
        </message>
        <message>
            <source>{one}; {other}</source>
            <translation>{one}; {other}</translation>
        </message>
        <message>
            <source>{on} and {off}</source>
            <translation>{on} und {off}</translation>
        </message>
        <message>
            <source>{path} cannot be read: {reason}.</source>
            <translation>{path} lässt sich nicht lesen: {reason}.</translation>
        </message>
        <message>
            <source>{path} should be a folder</source>
            <translation>{path} sollte ein Ordner sein</translation>
        </message>
        <message>
            <source>{ratio:,.0f}</source>
            <translation>{ratio:,.0f}</translation>
        </message>
        <message>
            <source>{ratio:.1f}</source>
            <translation>{ratio:.1f}</translation>
        </message>
        <message>
            <source>{repo} has no model file; it</source>
            <translation>{repo} enthält keine Modelldatei; eine solche</translation>
        </message>
        <message>
            <source>{size:,.1f} GB</source>
            <translation>{size:,.1f} GB</translation>
        </message>
        <message>
            <source>{size:,.1f} MB</source>
            <translation>{size:,.1f} MB</translation>
        </message>
        <message>
            <source>{size:,.1f} kB</source>
            <translation>{size:,.1f} kB</translation>
        </message>
        <message>
            <source>{size} bytes</source>
            <translation>{size} Byte</translation>
        </message>
        <message>
            <source>{stay} of {layers} layers stay on the CPU: {names} has {free:.1f} of {total:.1f} GB free.</source>
            <translation>{stay} von {layers} Schichten bleiben auf der CPU: Auf {names} sind {free:.1f} von {total:.1f} GB frei.</translation>
        </message>
        <message>
            <source>{text!r} names no repository; write it as OWNER/NAME or OWNER/NAME:FILE.</source>
            <translation>{text!r} benennt kein Repository; schreiben Sie es als OWNER/NAME oder OWNER/NAME:FILE.</translation>
        </message>
        <message>
            <source>{time:,.0f} s</source>
            <translation>{time:,.0f} s</translation>
        </message>
        <message>
            <source>{time:.1f} s</source>
            <translation>{time:.1f} s</translation>
        </message>
        <message>
            <source>{time:.2f} s</source>
            <translation>{time:.2f} s</translation>
        </message>
        <message>
            <source>{time:.3g} ms</source>
            <translation>{time:.3g} ms</translation>
        </message>
        <message>
            <source>{time:.3g} µs</source>
            <translation>{time:.3g} µs</translation>
        </message>
        <message>
            <source>{title}: {drawn}.</source>
            <translation>{title}: {drawn}.</translation>
        </message>
        <message>
            <source>{tokens:,} tokens of the prompt were there</source>
            <translation>{tokens:,} Tokens des Prompts waren da</translation>
        </message>
        <message>
            <source>{up} over {across}</source>
            <translation>{up} über {across}</translation>
        </message>
        <message>
            <source>{what:capital}</source>
            <translation>{what:capital}</translation>
        </message>
        <message>
            <source>{what} came damaged: its checksum is not the one the Hub gives. Download it again.</source>
            <translation>{what} kam beschädigt an: Die Prüfsumme ist nicht die, die der Hub nennt. Laden Sie die Datei erneut herunter.</translation>
        </message>
        <message>
            <source>{what} cannot be written to {folder}: {reason}. Check that folder, or choose another.</source>
            <translation>{what} lässt sich nicht nach {folder} schreiben: {reason}. Prüfen Sie den Ordner, oder wählen Sie einen anderen.</translation>
        </message>
        <message>
            <source>{what} is being downloaded by another window already. Wait for it there.</source>
            <translation>{what} wird schon von einem anderen Fenster heruntergeladen. Warten Sie dort darauf.</translation>
        </message>
        <message>
            <source>{what} is gated: accept its terms at {page}, then use a token of the account that did.</source>
            <translation>{what} ist zugangsbeschränkt: Stimmen Sie unter {page} den Bedingungen zu, und verwenden Sie dann ein Token desselben Kontos.</translation>
        </message>
        <message>
            <source>{what} is not on the Hub. Check its name; a private one needs a token.</source>
            <translation>{what} gibt es auf dem Hub nicht. Prüfen Sie den Namen; was privat ist, braucht ein Token.</translation>
        </message>
        <message>
            <source>{what} needs an access token of the Hub. Make one there, under Settings, and enter it here.</source>
            <translation>{what} braucht ein Zugangstoken des Hubs. Erstellen Sie dort unter „Settings“ eines, und geben Sie es hier ein.</translation>
        </message>
        <message>
            <source>{what} needs {needed} more; the disk of {folder} has {free} free. Make room there: what was fetched is kept.</source>
            <translation>{what} braucht noch {needed}; auf dem Datenträger von {folder} sind {free} frei. Schaffen Sie dort Platz: Was schon geladen ist, bleibt erhalten.</translation>
        </message>
        <message>
            <source>{what} was not asked for: {reason}</source>
            <translation>{what} wurde nicht angefragt: {reason}</translation>
        </message>
        <message>
            <source>{what} was replaced on the Hub since its download began. Download it again.</source>
            <translation>{what} wurde auf dem Hub ersetzt, seit das Herunterladen begann. Laden Sie die Datei erneut herunter.</translation>
        </message>
        <message>
            <source>{what}: {error}.</source>
            <translation>{what}: {error}.</translation>
        </message>
        <message>
            <source>{why} Download it again, or choose another model.</source>
            <translation>{why} Laden Sie die Datei erneut herunter, oder wählen Sie ein anderes Modell.</translation>
        </message>
        <message>
            <source>{words}.</source>
            <translation>{words}.</translation>
        </message>
        <message>
            <source>“&lt;{name}&gt;” is not one token of this model.</source>
            <translation>„&lt;{name}&gt;“ ist kein einzelnes Token dieses Modells.</translation>
        </message>
        <message>
            <source>“{title}”</source>
            <translation>„{title}“</translation>
        </message>
    </context>
    <context>
        <name>ServerPanel</name>
        <message>
            <source>A key is kept in the system's keyring and sent to this address only.</source>
            <translation>Ein Schlüssel liegt im Schlüsselbund des Systems und wird nur an diese Adresse gesendet.</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>Adresse</translation>
        </message>
        <message>
            <source>Any OpenAI-compatible one: llama-server, vLLM, Ollama, LM Studio. What you write is sent there.</source>
            <translation>Jeder OpenAI-kompatible: llama-server, vLLM, Ollama, LM Studio. Was Sie schreiben, wird dorthin gesendet.</translation>
        </message>
        <message>
            <source>Asking {address}</source>
            <translation>Fragt {address}</translation>
        </message>
        <message>
            <source>Close without connecting</source>
            <translation>Schließen, ohne zu verbinden</translation>
        </message>
        <message>
            <source>Connect</source>
            <translation>Verbinden</translation>
        </message>
        <message>
            <source>Connect to a server</source>
            <translation>Mit einem Server verbinden</translation>
        </message>
        <message>
            <source>Find</source>
            <translation>Suchen</translation>
        </message>
        <message>
            <source>Find a model</source>
            <translation>Modell suchen</translation>
        </message>
        <message>
            <source>Key</source>
            <translation>Schlüssel</translation>
        </message>
        <message>
            <source>Models at {server}</source>
            <translation>Modelle auf {server}</translation>
        </message>
        <message>
            <source>Models of the server</source>
            <translation>Modelle des Servers</translation>
        </message>
        <message>
            <source>There is no keyring here: a key is kept until Headwater closes, and sent to this address only.</source>
            <translation>Hier gibt es keinen Schlüsselbund: Ein Schlüssel bleibt, bis Headwater beendet wird, und wird nur an diese Adresse gesendet.</translation>
        </message>
        <message>
            <source>This server offers no model.</source>
            <translation>Dieser Server bietet kein Modell an.</translation>
        </message>
        <message>
            <source>Use this model</source>
            <translation>Dieses Modell nehmen</translation>
        </message>
        <message>
            <source>only if it wants one</source>
            <translation>nur wenn er einen will</translation>
        </message>
    </context>
    <context>
        <name>ShelfPage</name>
        <message>
            <source>&amp;Delete</source>
            <translation>&amp;Löschen</translation>
        </message>
        <message>
            <source>&amp;Delete ({size})</source>
            <translation>&amp;Löschen ({size})</translation>
        </message>
        <message>
            <source>&amp;Look no longer in this folder</source>
            <translation>&amp;Nicht mehr in diesem Ordner suchen</translation>
        </message>
        <message>
            <source>&amp;Verify</source>
            <translation>&amp;Prüfen</translation>
        </message>
        <message>
            <source>Add a folder…</source>
            <translation>Ordner hinzufügen…</translation>
        </message>
        <message>
            <source>All its tensors are there. The Hub's checksum for it is not known.</source>
            <translation>Alle Tensoren sind da. Die Prüfsumme des Hubs dafür ist nicht bekannt.</translation>
        </message>
        <message>
            <source>Differs from the Hub's file of that name. Download it again.</source>
            <translation>Weicht von der Datei dieses Namens auf dem Hub ab. Sie noch einmal herunterladen.</translation>
        </message>
        <message>
            <source>Find</source>
            <translation>Suchen</translation>
        </message>
        <message>
            <source>Find a model</source>
            <translation>Modell suchen</translation>
        </message>
        <message>
            <source>Looking for models on this disk</source>
            <translation>Auf diesem Datenträger wird nach Modellen gesucht</translation>
        </message>
        <message>
            <source>Models on this disk</source>
            <translation>Modelle auf diesem Datenträger</translation>
        </message>
        <message>
            <source>More for this model</source>
            <translation>Mehr für dieses Modell</translation>
        </message>
        <message>
            <source>No other model is here yet. Recommended shows some that fit.</source>
            <translation>Noch ist kein anderes Modell hier. „Empfohlen“ zeigt einige, die passen.</translation>
        </message>
        <message>
            <source>Reading all of it</source>
            <translation>Alles wird gelesen</translation>
        </message>
        <message>
            <source>Reading all of it: {read} of {size}</source>
            <translation>Alles wird gelesen: {read} von {size}</translation>
        </message>
        <message>
            <source>Show in &amp;folder</source>
            <translation>Im &amp;Ordner zeigen</translation>
        </message>
        <message>
            <source>Stop &amp;verifying</source>
            <translation>Prüfung &amp;abbrechen</translation>
        </message>
        <message>
            <source>Use this model</source>
            <translation>Dieses Modell nehmen</translation>
        </message>
        <message>
            <source>Whole: its checksum is the Hub's</source>
            <translation>Vollständig: Die Prüfsumme ist die des Hubs</translation>
        </message>
        <message>
            <source>{count} models; those in Headwater's folder take {size}</source>
            <translation>{count} Modelle; die in Headwaters Ordner belegen {size}</translation>
        </message>
    </context>
    <context>
        <name>ShortcutOverview</name>
        <message>
            <source>Close this overview (Esc)</source>
            <translation>Übersicht schließen (Esc)</translation>
        </message>
        <message>
            <source>Keyboard shortcuts</source>
            <translation>Tastenkürzel</translation>
        </message>
    </context>
    <context>
        <name>SpeedBar</name>
        <message>
            <source> ({new} new, {cached} cached)</source>
            <translation> ({new} neu, {cached} gecacht)</translation>
        </message>
        <message>
            <source> / {size}</source>
            <translation> / {size}</translation>
        </message>
        <message>
            <source> s</source>
            <translation> s</translation>
        </message>
        <message>
            <source> tok/s</source>
            <translation> Tok/s</translation>
        </message>
        <message>
            <source>All that was kept was reused; only new text was read.</source>
            <translation>Alles Aufbewahrte wurde verwendet; nur neuer Text wurde gelesen.</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>Kontext</translation>
        </message>
        <message>
            <source>Decode</source>
            <translation>Decode</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>Gerät</translation>
        </message>
        <message>
            <source>First token</source>
            <translation>Erstes Token</translation>
        </message>
        <message>
            <source>From sending to the first token of the reply. Loading a model is not counted in it.</source>
            <translation>Vom Senden bis zum ersten Token der Antwort. Das Laden eines Modells zählt nicht mit.</translation>
        </message>
        <message>
            <source>How fast the prompt was read: its new tokens divided by the time they took.
Cached tokens were read before; they are shown beside it and never counted in it.</source>
            <translation>Wie schnell der Prompt gelesen wurde: seine neuen Tokens durch die Zeit, die sie brauchten.
Gecachte Tokens wurden vorher gelesen; sie stehen daneben und zählen nie mit.</translation>
        </message>
        <message>
            <source>How fast the reply is written, token by token: for N tokens, (N - 1) divided by
the time from the first to the last.</source>
            <translation>Wie schnell die Antwort geschrieben wird, Token für Token: bei N Tokens (N - 1) durch
die Zeit vom ersten bis zum letzten.</translation>
        </message>
        <message>
            <source>It is the first prompt of its conversation: nothing of it was read before.</source>
            <translation>Der erste Prompt seiner Unterhaltung: nichts davon wurde vorher gelesen.</translation>
        </message>
        <message>
            <source>Measured here, from text to text: the server does not say.</source>
            <translation>Hier gemessen, von Text zu Text: Der Server sagt es nicht.</translation>
        </message>
        <message>
            <source>Measured here: the way to the server and its queue are part of it.</source>
            <translation>Hier gemessen: Der Weg zum Server und seine Warteschlange gehören dazu.</translation>
        </message>
        <message>
            <source>Prefill</source>
            <translation>Prefill</translation>
        </message>
        <message>
            <source>Read again: what was kept of this conversation was given up to make room for others.</source>
            <translation>Noch einmal gelesen: Was von dieser Unterhaltung aufbewahrt war, musste anderen weichen.</translation>
        </message>
        <message>
            <source>Read from an earlier place: this model's memory cannot be cut back everywhere.</source>
            <translation>Von einer früheren Stelle an gelesen: Das Gedächtnis dieses Modells lässt sich nicht überall zurückschneiden.</translation>
        </message>
        <message>
            <source>Read from the beginning: the model was loaded anew, and nothing kept fits it.</source>
            <translation>Von Anfang an gelesen: Das Modell wurde neu geladen, und nichts Aufbewahrtes passt dazu.</translation>
        </message>
        <message>
            <source>Read from the beginning: the system prompt is another one.</source>
            <translation>Von Anfang an gelesen: Der System-Prompt ist ein anderer.</translation>
        </message>
        <message>
            <source>Read from where an earlier turn is no longer the one that was read.</source>
            <translation>Von dort an gelesen, wo ein früherer Beitrag nicht mehr der gelesene ist.</translation>
        </message>
        <message>
            <source>Read from where the chat template writes other text than before, such as a date.</source>
            <translation>Von dort an gelesen, wo die Chat-Vorlage anderen Text schreibt als vorher, etwa ein Datum.</translation>
        </message>
        <message>
            <source>Speed</source>
            <translation>Geschwindigkeit</translation>
        </message>
        <message>
            <source>The server that answers.</source>
            <translation>Der Server, der antwortet.</translation>
        </message>
        <message>
            <source>The whole prompt was kept, with what follows from it: nothing was read.</source>
            <translation>Der ganze Prompt war aufbewahrt, mit dem, was aus ihm folgt: Nichts wurde gelesen.</translation>
        </message>
        <message>
            <source>The whole prompt was kept; only its last token was read once more.</source>
            <translation>Der ganze Prompt war aufbewahrt; nur sein letztes Token wurde noch einmal gelesen.</translation>
        </message>
        <message>
            <source>Tokens held, the growing reply included, of those the context window can hold.
Hatched: taken from the KV cache. Violet: read anew. Teal: written.</source>
            <translation>Gehaltene Tokens, die wachsende Antwort eingeschlossen, von denen, die das Kontextfenster fasst.
Schraffiert: aus dem KV-Cache. Violett: neu gelesen. Türkis: geschrieben.</translation>
        </message>
        <message>
            <source>Where the model runs, and on how many threads.</source>
            <translation>Wo das Modell läuft, und mit wie vielen Threads.</translation>
        </message>
        <message>
            <source>context</source>
            <translation>Kontext</translation>
        </message>
        <message>
            <source>decode</source>
            <translation>Decode</translation>
        </message>
        <message>
            <source>first token</source>
            <translation>erstes Token</translation>
        </message>
        <message>
            <source>prefill</source>
            <translation>Prefill</translation>
        </message>
        <message>
            <source>{device}, 1 thread</source>
            <translation>{device}, 1 Thread</translation>
        </message>
        <message>
            <source>{device}, {count} threads</source>
            <translation>{device}, {count} Threads</translation>
        </message>
    </context>
    <context>
        <name>TemporaryMark</name>
        <message>
            <source>Temporary: kept nowhere</source>
            <translation>Flüchtig: nirgends gesichert</translation>
        </message>
        <message>
            <source>This chat is held in memory alone. It is in no file, no search index and no backup,
and gone when Headwater is closed. What you export of it yourself stays.</source>
            <translation>Dieser Chat liegt nur im Arbeitsspeicher. Er ist in keiner Datei, keinem Suchindex und keiner Sicherung
und weg, wenn Headwater beendet wird. Was Sie selbst davon exportieren, bleibt.</translation>
        </message>
    </context>
    <context>
        <name>Transcript</name>
        <message>
            <source>1 older message was not read</source>
            <translation>1 ältere Nachricht wurde nicht gelesen</translation>
        </message>
        <message>
            <source>Copy the code</source>
            <translation>Code kopieren</translation>
        </message>
        <message>
            <source>Copy the {language} code</source>
            <translation>{language}-Code kopieren</translation>
        </message>
        <message>
            <source>Cut off at the length asked for</source>
            <translation>Bei der verlangten Länge abgeschnitten</translation>
        </message>
        <message>
            <source>Interrupted: Headwater closed while this was being written</source>
            <translation>Unterbrochen: Headwater wurde beendet, während dies entstand</translation>
        </message>
        <message>
            <source>Reasoning</source>
            <translation>Überlegung</translation>
        </message>
        <message>
            <source>Reply</source>
            <translation>Antwort</translation>
        </message>
        <message>
            <source>Stopped</source>
            <translation>Angehalten</translation>
        </message>
        <message>
            <source>The context window is full: the reply ends here</source>
            <translation>Das Kontextfenster ist voll: hier endet die Antwort</translation>
        </message>
        <message>
            <source>Thought for {seconds} s</source>
            <translation>{seconds} s überlegt</translation>
        </message>
        <message>
            <source>You</source>
            <translation>Sie</translation>
        </message>
        <message>
            <source>edited</source>
            <translation>bearbeitet</translation>
        </message>
        <message>
            <source>pinned</source>
            <translation>angeheftet</translation>
        </message>
        <message>
            <source>{count} older messages were not read</source>
            <translation>{count} ältere Nachrichten wurden nicht gelesen</translation>
        </message>
        <message>
            <source>{new} new</source>
            <translation>{new} neu</translation>
        </message>
        <message>
            <source>{new} new + {cached} cached</source>
            <translation>{new} neu + {cached} gecacht</translation>
        </message>
        <message>
            <source>{rate} tok/s</source>
            <translation>{rate} Tok/s</translation>
        </message>
    </context>
    <context>
        <name>TurnActions</name>
        <message>
            <source>As before</source>
            <translation>Wie vorher</translation>
        </message>
        <message>
            <source>By {model}</source>
            <translation>Von {model}</translation>
        </message>
        <message>
            <source>Continue</source>
            <translation>Fortsetzen</translation>
        </message>
        <message>
            <source>Copy the conversation</source>
            <translation>Unterhaltung kopieren</translation>
        </message>
        <message>
            <source>Delete this and all that follows</source>
            <translation>Diese und alle folgenden löschen</translation>
        </message>
        <message>
            <source>Delete this message</source>
            <translation>Diese Nachricht löschen</translation>
        </message>
        <message>
            <source>Deleted a message.</source>
            <translation>Eine Nachricht gelöscht.</translation>
        </message>
        <message>
            <source>Deleted {count} messages.</source>
            <translation>{count} Nachrichten gelöscht.</translation>
        </message>
        <message>
            <source>Details</source>
            <translation>Einzelheiten</translation>
        </message>
        <message>
            <source>Edit</source>
            <translation>Bearbeiten</translation>
        </message>
        <message>
            <source>More freely (temperature {value})</source>
            <translation>Freier (Temperatur {value})</translation>
        </message>
        <message>
            <source>More was deleted before.</source>
            <translation>Vorher wurde mehr gelöscht.</translation>
        </message>
        <message>
            <source>Pin: never left out of a full window</source>
            <translation>Anheften: fällt nie aus einem vollen Fenster</translation>
        </message>
        <message>
            <source>Regenerate</source>
            <translation>Neu erzeugen</translation>
        </message>
        <message>
            <source>This conversation</source>
            <translation>Diese Unterhaltung</translation>
        </message>
        <message>
            <source>This reply</source>
            <translation>Diese Antwort</translation>
        </message>
        <message>
            <source>Tokens of this conversation: {summary}</source>
            <translation>Tokens dieser Unterhaltung: {summary}</translation>
        </message>
        <message>
            <source>Tokens read and written in this conversation. Click for the details.</source>
            <translation>In dieser Unterhaltung gelesene und geschriebene Tokens. Ein Klick zeigt Einzelheiten.</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>Rückgängig</translation>
        </message>
        <message>
            <source>With the likeliest words (temperature 0)</source>
            <translation>Mit den wahrscheinlichsten Wörtern (Temperatur 0)</translation>
        </message>
    </context>
    <context>
        <name>Views</name>
        <message>
            <source>&amp;Keyboard shortcuts</source>
            <translation>&amp;Tastenkürzel</translation>
        </message>
        <message>
            <source>&amp;Preferences…</source>
            <translation>&amp;Einstellungen…</translation>
        </message>
        <message>
            <source>Deleted the preset “{name}”.</source>
            <translation>Die Voreinstellung „{name}“ wurde gelöscht.</translation>
        </message>
        <message>
            <source>From message to message</source>
            <translation>Von Nachricht zu Nachricht</translation>
        </message>
        <message>
            <source>Move a caret through the text</source>
            <translation>Eine Schreibmarke durch den Text bewegen</translation>
        </message>
        <message>
            <source>New line</source>
            <translation>Neue Zeile</translation>
        </message>
        <message>
            <source>Select</source>
            <translation>Auswählen</translation>
        </message>
        <message>
            <source>Send</source>
            <translation>Senden</translation>
        </message>
        <message>
            <source>System prompt and &amp;sampling</source>
            <translation>System-Prompt und Sa&amp;mpling</translation>
        </message>
        <message>
            <source>To links and to what can be done with a message</source>
            <translation>Zu Links und dem, was mit einer Nachricht getan werden kann</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>Rückgängig</translation>
        </message>
        <message>
            <source>While reading</source>
            <translation>Beim Lesen</translation>
        </message>
        <message>
            <source>While writing</source>
            <translation>Beim Schreiben</translation>
        </message>
    </context>
    <context>
        <name>Window</name>
        <message>
            <source>&amp;About Headwater</source>
            <translation>&amp;Über Headwater</translation>
        </message>
        <message>
            <source>&amp;Attach files…</source>
            <translation>Dateien an&amp;hängen…</translation>
        </message>
        <message>
            <source>&amp;Colours</source>
            <translation>&amp;Farben</translation>
        </message>
        <message>
            <source>&amp;Conversation</source>
            <translation>&amp;Unterhaltung</translation>
        </message>
        <message>
            <source>&amp;Edit</source>
            <translation>&amp;Bearbeiten</translation>
        </message>
        <message>
            <source>&amp;File</source>
            <translation>&amp;Datei</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>&amp;Hilfe</translation>
        </message>
        <message>
            <source>&amp;New conversation</source>
            <translation>&amp;Neue Unterhaltung</translation>
        </message>
        <message>
            <source>&amp;Quit</source>
            <translation>&amp;Beenden</translation>
        </message>
        <message>
            <source>&amp;Sidebar</source>
            <translation>&amp;Seitenleiste</translation>
        </message>
        <message>
            <source>&amp;Stop the reply</source>
            <translation>Antwort &amp;anhalten</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>&amp;Ansicht</translation>
        </message>
        <message>
            <source>Headwater</source>
            <translation>Headwater</translation>
        </message>
        <message>
            <source>Headwater closed while a reply was being written. What was there is kept, and marked.</source>
            <translation>Headwater wurde beendet, während eine Antwort entstand. Was da war, ist gesichert und markiert.</translation>
        </message>
        <message>
            <source>Headwater closed while {count} replies were being written. What was there is kept, and marked.</source>
            <translation>Headwater wurde beendet, während {count} Antworten entstanden. Was da war, ist gesichert und markiert.</translation>
        </message>
        <message>
            <source>{title} - Headwater</source>
            <translation>{title} - Headwater</translation>
        </message>
    </context>
    <context>
        <name>WindowMeter</name>
        <message>
            <source>1 message left out</source>
            <translation>1 Nachricht weggelassen</translation>
        </message>
        <message>
            <source>Attached files: {tokens} tokens</source>
            <translation>Angehängte Dateien: {tokens} Tokens</translation>
        </message>
        <message>
            <source>Context window: {figures}</source>
            <translation>Kontextfenster: {figures}</translation>
        </message>
        <message>
            <source>It does not fit: sending it will offer what can be done.</source>
            <translation>Es passt nicht: Nach dem Senden steht da, was sich tun lässt.</translation>
        </message>
        <message>
            <source>It does not fit: the oldest turns will not be read.</source>
            <translation>Es passt nicht: Die ältesten Beiträge werden nicht gelesen.</translation>
        </message>
        <message>
            <source>Leave out the oldest turns</source>
            <translation>Älteste Beiträge weglassen</translation>
        </message>
        <message>
            <source>Left for the reply: {tokens} tokens</source>
            <translation>Bleibt für die Antwort: {tokens} Tokens</translation>
        </message>
        <message>
            <source>Oldest left out</source>
            <translation>Älteste weggelassen</translation>
        </message>
        <message>
            <source>Oldest out</source>
            <translation>Älteste weg</translation>
        </message>
        <message>
            <source>Stop and say so</source>
            <translation>Anhalten und es sagen</translation>
        </message>
        <message>
            <source>The conversation: {tokens} tokens</source>
            <translation>Die Unterhaltung: {tokens} Tokens</translation>
        </message>
        <message>
            <source>Tokens of the conversation, and of what you type, of those the window holds.</source>
            <translation>Tokens der Unterhaltung und dessen, was Sie tippen, von denen, die das Fenster fasst.</translation>
        </message>
        <message>
            <source>What you typed: {tokens} tokens</source>
            <translation>Was Sie getippt haben: {tokens} Tokens</translation>
        </message>
        <message>
            <source>When the window is full</source>
            <translation>Wenn das Fenster voll ist</translation>
        </message>
        <message>
            <source>When the window is full, the oldest turns are not read; each reply says how many.</source>
            <translation>Ist das Fenster voll, werden die ältesten Beiträge nicht gelesen; jede Antwort sagt, wie viele.</translation>
        </message>
        <message>
            <source>Will not be read: {tokens} of the oldest messages</source>
            <translation>Wird nicht gelesen: {tokens} der ältesten Nachrichten</translation>
        </message>
        <message>
            <source>{count} messages left out</source>
            <translation>{count} Nachrichten weggelassen</translation>
        </message>
        <message>
            <source>{count} out</source>
            <translation>{count} weg</translation>
        </message>
        <message>
            <source>{said} + {draft}</source>
            <translation>{said} + {draft}</translation>
        </message>
        <message>
            <source>{tokens} of {size}</source>
            <translation>{tokens} von {size}</translation>
        </message>
    </context>
    <context>
        <name>_Column</name>
        <message>
            <source>First words {first} · whole {whole}</source>
            <translation>Erste Wörter {first} · ganz {whole}</translation>
        </message>
    </context>
    <context>
        <name>_Context</name>
        <message>
            <source> / {size}</source>
            <translation> / {size}</translation>
        </message>
    </context>
    <context>
        <name>_Hits</name>
        <message>
            <source>New conversation</source>
            <translation>Neue Unterhaltung</translation>
        </message>
        <message>
            <source>{title}, found in the title</source>
            <translation>{title}, im Titel gefunden</translation>
        </message>
    </context>
    <context>
        <name>_PromptButton</name>
        <message>
            <source>Send: {prompt}</source>
            <translation>Senden: {prompt}</translation>
        </message>
        <message>
            <source>Sends this prompt</source>
            <translation>Sendet diesen Prompt</translation>
        </message>
    </context>
    <context>
        <name>_ServerRow</name>
        <message>
            <source>Change the key for {server}</source>
            <translation>Schlüssel für {server} ändern</translation>
        </message>
        <message>
            <source>Change the key…</source>
            <translation>Schlüssel ändern…</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Entfernen</translation>
        </message>
        <message>
            <source>Remove {model} at {server}</source>
            <translation>{model} auf {server} entfernen</translation>
        </message>
    </context>
</TS>
