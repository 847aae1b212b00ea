import { parseArgs } from 'node:util';

/** What `npm start -- ...` was told. */
export interface Flags {
  /** End after the story; the exit status says whether it came out right. */
  readonly exit: boolean;
  /** A real cluster instead of the simulated one; no story. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly config: string | undefined;
  /** 0 = any free port. */
  readonly port: number;
  /** Whether the port was chosen by the person: then a busy one is an error, not a reason to take the next. */
  readonly isPortChosen: boolean;
  /** Where the table and the outbox live; undefined = in memory and a temporary folder. */
  readonly data: string | undefined;
  /** How many times as fast as real time the simulated cluster runs. */
  readonly speed: number;
}

export type FlagsRead =
  | { readonly kind: 'flags'; readonly flags: Flags }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

export const defaultPort = 8080;
export const defaultSpeed = 20;

export const help = `Poolkeeper on this machine.

  npm start                            a simulated OpenShift with Argo CD, and the whole story on it
  npm start -- --exit                  the same, and end; exit status 0 = the story came out right
  npm start -- --kubeconfig FILE       your own cluster instead (alerts go to the outbox); no story

  --kubeconfig FILE   kubeconfig of a real cluster
  --context NAME      context in it (default: the current one)
  --config FILE       poolkeeper.yaml; without it: one cluster, the Argo CD found in it, defaults for the rest
  --port N            port on 127.0.0.1 (default ${defaultPort}, or the next free one)
  --data DIR          keep table and outbox in DIR (default: in memory, outbox in a temporary folder)
  --speed X           how many times as fast the simulated cluster runs (default ${defaultSpeed}; 1 = real time)
  --exit              end after the story
  --help              this text

Secrets come from the environment, two live values separated by a comma: POOLKEEPER_GITHUB_SECRET,
POOLKEEPER_ARGOCD_TOKEN; the others are named in docs/configuration.md.
`;

const options = {
  exit: { type: 'boolean', default: false },
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  config: { type: 'string' },
  port: { type: 'string' },
  data: { type: 'string' },
  speed: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the command line; every problem at once. */
export function readFlags(args: readonly string[]): FlagsRead {
  const parsed = parse(args);
  if (typeof parsed === 'string') return { kind: 'problems', problems: [parsed] };
  if (parsed.help) return { kind: 'help', text: help };

  const port = numberOf(parsed.port, defaultPort);
  const speed = numberOf(parsed.speed, parsed.kubeconfig === undefined ? defaultSpeed : 1);
  const problems = [
    ...(Number.isInteger(port) && port >= 0 && port <= 65_535
      ? []
      : [`--port ${parsed.port}: a port is a whole number from 0 to 65535`]),
    ...(speed >= 0.1 && speed <= 200 ? [] : [`--speed ${parsed.speed}: a speed is a number from 0.1 to 200`]),
    ...(parsed.kubeconfig !== undefined && parsed.exit
      ? ['--exit ends the story, and there is none with --kubeconfig']
      : []),
    ...(parsed.kubeconfig !== undefined && parsed.speed !== undefined
      ? ['--speed is for the simulated cluster only']
      : []),
    ...(parsed.context !== undefined && parsed.kubeconfig === undefined ? ['--context needs --kubeconfig'] : []),
  ];
  if (problems.length > 0) return { kind: 'problems', problems };
  const { exit, kubeconfig, context, config, data } = parsed;
  return {
    kind: 'flags',
    flags: { exit, kubeconfig, context, config, port, isPortChosen: parsed.port !== undefined, data, speed },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (cause) {
    return cause instanceof Error
      ? `${cause.message.split('. ')[0]}; --help lists what there is`
      : 'the command line cannot be read';
  }
}

function numberOf(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  return text.trim() === '' ? Number.NaN : Number(text);
}
