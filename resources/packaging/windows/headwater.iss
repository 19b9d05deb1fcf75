; The installer for Windows, by Inno Setup 6: iscc resources\packaging\windows\headwater.iss, after scripts/package.py.
; For the person alone unless somebody installs it for all. SIGNTOOL in the environment, named "sign" in Inno Setup, signs it.

#define Version GetEnv("HEADWATER_VERSION")
#if Version == ""
  #error HEADWATER_VERSION is not set
#endif

[Setup]
AppId={{7A2B1C52-5A0D-4D7E-9E0B-2F6D1E4C9B31}
AppName=Headwater
AppVersion={#Version}
DefaultDirName={autopf}\Headwater
DefaultGroupName=Headwater
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
OutputDir=..\..\..\build\package
OutputBaseFilename=headwater-{#Version}-setup
Compression=lzma2
SolidCompression=yes
ChangesAssociations=yes
UninstallDisplayIcon={app}\headwater.exe
LicenseFile=..\..\..\LICENSE
#if GetEnv("SIGNTOOL") != ""
SignTool=sign
SignedUninstaller=yes
#endif

[InstallDelete]
; What an earlier version had and this one has not.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
; The program itself is signed, too, where anything is.
Source: "..\..\..\build\package\headwater\headwater.exe"; DestDir: "{app}"; Flags: ignoreversion signonce
Source: "..\..\..\build\package\headwater\*"; Excludes: "\headwater.exe"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\Headwater"; Filename: "{app}\headwater.exe"

[Registry]
Root: HKA; Subkey: "Software\Classes\.gguf\OpenWithProgids"; ValueType: string; ValueName: "Headwater.gguf"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\Headwater.gguf"; ValueType: string; ValueData: "Language model"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Headwater.gguf\DefaultIcon"; ValueType: string; ValueData: "{app}\headwater.exe,0"
Root: HKA; Subkey: "Software\Classes\Headwater.gguf\shell\open\command"; ValueType: string; ValueData: """{app}\headwater.exe"" ""%1"""

[Run]
Filename: "{app}\headwater.exe"; Description: "{cm:LaunchProgram,Headwater}"; Flags: nowait postinstall skipifsilent
