import { type Command, Option } from 'commander';
import type { Context } from '../options.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** `assay completion`: a script that lets a shell complete commands and options. */
export function addCompletion(program: Command, { terminal }: Context): void {
  program
    .command('completion')
    .description('Print a script that lets your shell complete commands and options.')
    .addOption(
      new Option('--shell <shell>', 'the shell').choices(['bash', 'zsh', 'fish']).default('bash'),
    )
    .addHelpText(
      'after',
      `
  bash  assay completion > ~/.local/share/bash-completion/completions/assay
  zsh   assay completion --shell zsh > ~/.zfunc/_assay
  fish  assay completion --shell fish > ~/.config/fish/completions/assay.fish`,
    )
    .action(async ({ shell }: { shell: Shell }) => {
      await terminal.write(scripts[shell](wordsOf(program)));
    });
}

/** The options of each command, by its name. */
type Words = [command: string, options: string[]][];

const wordsOf = (program: Command): Words =>
  program.commands.map((command) => [
    command.name(),
    [...command.options.flatMap(({ long }) => long ?? []), '--help'],
  ]);

const scripts: Record<Shell, (words: Words) => string> = {
  bash: (words) => `_assay() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.map(([name]) => name).join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${words.map(([name, options]) => `    ${name}) options="${options.join(' ')}" ;;`).join('\n')}
  esac
  if [ "\${word#-}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -F _assay assay
`,
  zsh: (words) => `#compdef assay
_assay() {
  if (( CURRENT == 2 )); then
    compadd ${words.map(([name]) => name).join(' ')}
    return
  fi
  case "$words[2]" in
${words.map(([name, options]) => `    ${name}) compadd -- ${options.join(' ')} ;;`).join('\n')}
  esac
  _files
}
_assay "$@"
`,
  fish: (words) =>
    words
      .flatMap(([name, options]) => [
        `complete -c assay -n __fish_use_subcommand -a ${name}`,
        ...options.map(
          (option) =>
            `complete -c assay -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
        ),
      ])
      .map((line) => `${line}\n`)
      .join(''),
};
