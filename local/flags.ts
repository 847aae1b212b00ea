import { parseArgs } from 'node:util';
import { isScenario, type ScenarioName, scenarios } from './demo/scenarios.ts';
import { defaultPort } from './run/default-port.ts';
import type { ChosenPort } from './run/serve.ts';

/** The command line of `npm start -- ...`. */
export interface Flags extends ChosenPort {
  /** End after the demo; the exit status says whether it succeeded. */
  readonly exit: boolean;
  /** What the demo plays. */
  readonly scenario: ScenarioName;
  /** A real cluster instead of the simulated one, and no demo. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly config: string | undefined;
  /** Folder of the table and the outbox; undefined: in memory and in a temporary folder. */
  readonly data: string | undefined;
  /** How many times faster than real time the simulated cluster runs. */
  readonly speed: number;
}

export type FlagsRead =
  | { readonly kind: 'flags'; readonly flags: Flags }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

const defaultSpeed = 20;

const help = `Poolkeeper on this machine.

  npm start                            a demo on a simulated OpenShift with Argo CD
  npm start -- --exit                  the same, then exit; status 0 = the demo finished
  npm start -- --list                  what else it plays: a failed sync, a late pause, a freeze ...
  npm start -- --scenario freeze       one of these
  npm start -- --kubeconfig FILE       your own cluster instead of the demo (alerts go to the outbox)

  --kubeconfig FILE   kubeconfig of a real cluster
  --context NAME      its context (default: the current one)
  --config FILE       poolkeeper.yaml; default: one cluster, the Argo CD found on it, default settings
  --port N            port on 127.0.0.1 (default ${defaultPort}, or the next free one)
  --data DIR          keep table and outbox in DIR (default: in memory, outbox in a temporary folder)
  --speed X           speed of the simulated cluster (default ${defaultSpeed} times real time)
  --exit              exit after the demo
  --scenario NAME     what the demo plays (default push); --list names them all
  --help              show this text

Secrets come from the environment: POOLKEEPER_GITHUB_SECRET, POOLKEEPER_ARGOCD_TOKEN and those that
docs/configuration.md lists. Each takes up to two values, separated by a comma.
`;

const options = {
  exit: { type: 'boolean', default: false },
  scenario: { type: 'string' },
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  config: { type: 'string' },
  port: { type: 'string' },
  data: { type: 'string' },
  speed: { type: 'string' },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the command line and reports every problem at once. */
export function readFlags(args: readonly string[]): FlagsRead {
  const parsed = parse(args);
  if (typeof parsed === 'string') return { kind: 'problems', problems: [parsed] };
  const asked = askedText(parsed);
  if (asked !== undefined) return { kind: 'help', text: asked };

  const port = numberOf(parsed.port, defaultPort);
  const speed = numberOf(parsed.speed, parsed.kubeconfig === undefined ? defaultSpeed : 1);
  const wanted = parsed.scenario ?? 'push';
  const scenario = isScenario(wanted) ? wanted : undefined;
  const problems = [
    ...(scenario === undefined
      ? [`--scenario ${parsed.scenario}: must be one of ${Object.keys(scenarios).join(', ')}`]
      : []),
    ...(Number.isInteger(port) && port >= 0 && port <= 65_535
      ? []
      : [`--port ${parsed.port}: a port is a whole number from 0 to 65535`]),
    ...(speed >= 0.1 && speed <= 200 ? [] : [`--speed ${parsed.speed}: a speed is a number from 0.1 to 200`]),
    ...(parsed.kubeconfig === undefined ? [] : ofDemo(parsed)),
    ...(parsed.context !== undefined && parsed.kubeconfig === undefined ? ['--context needs --kubeconfig'] : []),
  ];
  if (scenario === undefined || problems.length > 0) return { kind: 'problems', problems };
  const { exit, kubeconfig, context, config, data } = parsed;
  return {
    kind: 'flags',
    flags: { exit, scenario, kubeconfig, context, config, port, isPortChosen: parsed.port !== undefined, data, speed },
  };
}

/** What is printed instead of anything else; undefined: nothing was asked for. */
function askedText({ help: isHelp, list }: Exclude<ReturnType<typeof parse>, string>): string | undefined {
  if (isHelp) return help;
  return list ? listOfScenarios() : undefined;
}

function listOfScenarios(): string {
  const lines = Object.entries(scenarios).map(
    ([name, { about }]) => `npm start -- --scenario ${name.padEnd(12)}  ${about}`,
  );
  return `${lines.join('\n')}\n`;
}

/** What a real cluster has no use for. */
function ofDemo({ exit, speed, scenario }: Exclude<ReturnType<typeof parse>, string>): readonly string[] {
  const belongs = 'belongs to the demo, which does not run with --kubeconfig';
  return [
    ...(scenario === undefined ? [] : [`--scenario ${belongs}`]),
    ...(exit ? [`--exit ${belongs}`] : []),
    ...(speed === undefined ? [] : ['--speed only applies to the simulated cluster']),
  ];
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (cause) {
    return cause instanceof Error
      ? `${cause.message.split('. ')[0]}; --help lists the flags`
      : 'the command line cannot be read';
  }
}

function numberOf(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  return text.trim() === '' ? Number.NaN : Number(text);
}
