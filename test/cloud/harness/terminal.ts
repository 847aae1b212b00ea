import { spawn } from 'node:child_process';
import { endWithUs } from '../../cluster/harness/leave-nothing.ts';

/** A shell at a terminal, as a person has it: programs ask and are answered, what is exported stays. */
export interface Terminal {
  /** Types a line and waits until the shell asks for the next one. Throws what was shown when the line ends badly. */
  readonly type: (line: string, options?: Typing) => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface Typing {
  /** Typed after the line, to a program that reads without asking. */
  readonly afterwards?: string;
}

export interface TerminalStart {
  readonly folder: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** How long one line may take, milliseconds: a deployment or an installation on a busy machine. */
const lineWithinMs = 300_000;
/** How much of what was shown a failure repeats, characters. */
const tailChars = 3_000;
/** Shown by the shell before each line, round the status of the line before. */
const mark = '\u001e';

/** `script` of util-linux gives the shell its terminal. */
export async function openTerminal({ folder, env }: TerminalStart): Promise<Terminal> {
  const child = spawn('script', ['-qfec', 'bash --norc --noprofile --noediting -i', '/dev/null'], {
    cwd: folder,
    env: { ...env, PS1: '', PS2: '', PROMPT_COMMAND: `printf '\\036%s\\036' "$?"`, TERM: 'dumb' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  endWithUs(child);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let shown = '';
  let look = () => {};
  const show = (text: string) => {
    shown += text;
    look();
  };
  child.stdout.setEncoding('utf8').on('data', show);
  child.stderr.setEncoding('utf8').on('data', show);
  child.stdin.on('error', () => undefined);

  /** Waits for the shell; says yes to whoever asks `(y/n)`. */
  async function untilAsked(what: string): Promise<{ readonly status: number; readonly text: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    let answered = 0;
    const tooLate = setTimeout(
      () => reject(new Error(`\`${what}\` has not ended:\n${shown.slice(-tailChars)}`)),
      lineWithinMs,
    );
    look = () => {
      const [before, status] = shown.split(mark);
      if (status !== undefined && shown.endsWith(mark)) return resolve({ status: Number(status), text: before ?? '' });
      const asked = shown.match(/\(y\/n\)/g)?.length ?? 0;
      if (asked <= answered) return;
      answered = asked;
      child.stdin.write('y\n');
    };
    void ended.then(() => reject(new Error(`the shell ended at \`${what}\`:\n${shown.slice(-tailChars)}`)));
    look();
    return promise.finally(() => {
      clearTimeout(tooLate);
      look = () => {};
      shown = '';
    });
  }

  const type: Terminal['type'] = async (line, { afterwards } = {}) => {
    child.stdin.write(`${line}\n`);
    if (afterwards !== undefined) child.stdin.write(`${afterwards}\n`);
    const { status, text } = await untilAsked(line);
    const said = text.replaceAll('\r\n', '\n').trim();
    if (status !== 0) throw new Error(`\`${line}\` ended with status ${status}:\n${said.slice(-tailChars)}`);
    return said;
  };
  await untilAsked('bash');
  await type('stty -echo cols 200');
  return {
    type,
    close: async () => {
      child.stdin.end('exit\n');
      const impatient = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await ended;
      clearTimeout(impatient);
    },
  };
}
