/** The shells that `tankeeper completion` knows. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * Code of our own: the libraries (@bomb.sh/tab, tabtab) hand names to `compgen -W` or `eval`, which run commands in them.
 * Names come from administrators and directories: here no shell expands what is typed or found, and names are quoted.
 */
const BASH = `# bash completion for tankeeper: source <(tankeeper completion bash)
_tankeeper() {
  local line quoted typed=\${COMP_LINE:0:COMP_POINT}
  # What stands before a colon or an equals sign is a word of its own to bash, and is not replaced.
  local word=\${typed##*[[:space:]]}
  local before=\${word%"\${COMP_WORDS[COMP_CWORD]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    printf -v quoted '%q' "$line"
    COMPREPLY+=("\${quoted#"$before"}")
  done < <(tankeeper complete --line "$typed" 2> /dev/null)
}
complete -o bashdefault -o default -F _tankeeper tankeeper
`;

const ZSH = `#compdef tankeeper
# zsh completion for tankeeper: source <(tankeeper completion zsh), or a file _tankeeper in $fpath
_tankeeper() {
  local -a found
  found=("\${(@f)$(tankeeper complete --line "\${(j: :)words[1,CURRENT]}" 2> /dev/null)}")
  if [[ -n "\${found[1]}" ]]; then
    compadd -- "\${found[@]}"
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" = _tankeeper ]]; then
  _tankeeper "$@"
else
  compdef _tankeeper tankeeper
fi
`;

const FISH = `# fish completion for tankeeper: tankeeper completion fish | source
function __tankeeper_complete
    set -l found (tankeeper complete --line (commandline -cp | string collect) 2> /dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c tankeeper -f -a '(__tankeeper_complete)'
`;

/** @returns the text that the shell reads */
export function completionScript(shell: Shell): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}
