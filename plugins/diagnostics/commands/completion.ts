import { bytes, type Command, command, Host } from '../../../core/index.ts'
import { bashCompletion, type CompletionPlace, fishCompletion, placesOf, zshCompletion } from '../completion.ts'

const PROGRAM = 'holdfast'

/** `commands/completion/bash` and its like: they only make sense beside a terminal. */
export const completions: readonly Command[] = [
  completion('bash', bashCompletion, `Add to ~/.bashrc: eval "$(${PROGRAM} commands completion bash)"`),
  completion('fish', fishCompletion, `Write to ~/.config/fish/completions/${PROGRAM}.fish.`),
  completion('zsh', zshCompletion, `Add to ~/.zshrc: eval "$(${PROGRAM} commands completion zsh)"`)
]

function completion(shell: string, script: (program: string, places: readonly CompletionPlace[]) => string, use: string): Command {
  return command.read(`commands/completion/${shell}`, {
    help: `Print what lets ${shell} complete this program's commands. ${use}`,
    examples: [{ title: 'Print the script', args: `commands completion ${shell}` }],
    needs: { host: Host },
    reply: bytes({ text: true }),
    local: true,
    run: ({ host }) => ({ bytes: [Buffer.from(script(PROGRAM, placesOf(host.commands())))] })
  })
}
