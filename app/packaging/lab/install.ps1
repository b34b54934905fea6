# Install pagecost @VERSION@ from this folder, without a network:
#   powershell -ExecutionPolicy Bypass -File install.ps1 [FOLDER]
# FOLDER is made: a Python environment with everything in it; without a name it is pagecost in your own folder.
# Written for Windows 10 and 11 and not tried there by the project: README.txt has the same in three plain lines.
param([string]$Folder = "$HOME\pagecost")
$ErrorActionPreference = "Stop"
$here = $PSScriptRoot

function Fail([string]$why) { Write-Host "pagecost was not installed: $why"; exit 1 }

if (Test-Path "$Folder\Scripts") { Fail "there is something in $Folder already; name another folder, or remove it" }
$version = & py -@PYTHON@ -c "import sys; print('%d.%d' % sys.version_info[:2])" 2>$null
if ($version -ne "@PYTHON@") {
  Fail "it needs Python @PYTHON@ (64 bits) and the launcher py, for which its wheels are; install that from python.org"
}
Write-Host "pagecost @VERSION@: @WHEELS@ into $Folder ..."
& py -@PYTHON@ -m venv --without-pip $Folder
if ($LASTEXITCODE) { Fail "no environment could be made in $Folder" }
$env:PYTHONPATH = (Get-Item "$here\wheels\pip-*.whl").FullName
$env:PIP_CONFIG_FILE = "nul"
& "$Folder\Scripts\python.exe" -m pip install --quiet --isolated --no-index --find-links "$here\wheels" --no-deps `
  --require-hashes --no-cache-dir --disable-pip-version-check --no-warn-script-location `
  --requirement "$here\requirements.txt"
if ($LASTEXITCODE) { Fail "see above; $Folder can be removed" }
$env:PYTHONPATH = ""
if (Test-Path "$here\kernels") {
  Copy-Item -Recurse "$here\kernels" "$Folder\Lib\site-packages\pagecost\kernel_cache"
} else {
  Write-Host "Kernels are compiled for this machine at the first use of each question, which says so."
}
Write-Host "`nOpen the lab:   $Folder\Scripts\pagecost.exe lab"
Write-Host "The app:        $Folder\Scripts\pagecost.exe app --browser"
