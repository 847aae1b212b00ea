import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { endWithUs, removeFolder, temporaryFolder } from '../cluster/harness/leave-nothing.ts';
import { runCommand } from '../cluster/toolchain/run-command.ts';

const root = join(import.meta.dirname, '../..');

/** What somebody reaches who has only the README, in the order in which it leads there. */
export interface Reached {
  readonly what: string;
  /** Since the clone began; where it is started anew, since that start. */
  readonly seconds: number;
  /** What was to be seen. */
  readonly saw: string;
}

export interface Newcomer {
  /** Of `npm start`. */
  readonly flags: readonly string[];
  /** True: `npm start` and `npx` as printed, with an installation from the registry of their own. False: what
   *  package.json runs for them, on the packages of this checkout. */
  readonly installs: boolean;
}

/** Plays a newcomer with a fresh clone of what is committed here. Rejects with the step that does not work as it is
 *  printed. */
export async function playNewcomer({ flags, installs }: Newcomer): Promise<readonly Reached[]> {
  const folder = await temporaryFolder('newcomer');
  const begun = performance.now();
  const reached: Reached[] = [];
  const note = (what: string, saw: string, since = begun) =>
    void reached.push({ what, seconds: (performance.now() - since) / 1000, saw });
  const programs: Program[] = [];
  try {
    const clone = await cloneInto(folder);
    const npm = await npmIn(clone, installs);
    note('a clone', basename(clone));

    const demo = startProgram(clone, npm.start, flags);
    programs.push(demo);
    const [, page = ''] = await demo.printed(/Status {5}(\S+)/);
    note('the first page', await titleOf(page));
    note('the first message', (await demo.printed(/PK-1 .*/))[0]);
    await demo.printed(/Ctrl-C ends/);
    note('the end of the demo', (await demo.printed(/Demo finished/))[0]);

    const exported = exportsIn(demo.output());
    const pauses = pausesIn(await shownOn(page)).map(({ id }) => id);
    const pushed = performance.now();
    await runAsPrinted(folder, ownPush(demo.output()), exported);
    note('its own push', 'pushed', pushed);
    note('the pool paused for it', await pausedFor(page, pauses), pushed);
    const npx = (words: string) => runAsPrinted(clone, `${npm.npx} ${words}`, exported);
    const asked = performance.now();
    note('why', await npx('why worker || test $? = 1'), asked);
    const again = performance.now();
    note('status', await npx('status || test $? = 1'), again);

    const started = performance.now();
    const own = startProgram(clone, npm.start, ['--kubeconfig', exported['KUBECONFIG'] ?? '', '--port', '0']);
    programs.push(own);
    const [, ownPage = ''] = await own.printed(/Status {5}(\S+)/);
    note("an own cluster's page", await titleOf(ownPage), started);
    return reached;
  } finally {
    for (const program of programs) await program.end();
    await removeFolder(folder);
  }
}

/** Where there is no repository, as in an exported tree, its files. */
async function cloneInto(folder: string): Promise<string> {
  const clone = join(folder, 'poolkeeper');
  if (existsSync(join(root, '.git')))
    await runCommand({ file: 'git', args: ['clone', '--quiet', '--depth', '1', `file://${root}`, clone] });
  else await cp(root, clone, { recursive: true, filter: (path) => !path.includes('node_modules') });
  return clone;
}

interface Npm {
  /** Instead of `npm start --`. */
  readonly start: string;
  /** Instead of `npx --no-install poolkeeper`. */
  readonly npx: string;
}

async function npmIn(clone: string, installs: boolean): Promise<Npm> {
  if (installs) return { start: 'npm start --', npx: 'npx --no-install poolkeeper' };
  // Never `npm start` here: it would install anew, into the packages that the link leads to.
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'));
  const { scripts, bin } = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
    readonly bin: { readonly poolkeeper: string };
  };
  return {
    start: scripts.start.replace(/^node /, `'${process.execPath}' `),
    npx: `'${process.execPath}' ${bin.poolkeeper}`,
  };
}

interface Program {
  readonly output: () => string;
  /** Resolves with the first match; rejects when the program ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  end(): Promise<void>;
}

/** In a group of its own: what npm starts ends with it. */
function startProgram(folder: string, line: string, flags: readonly string[]): Program {
  const child: ChildProcess = spawn('bash', ['-c', `exec ${line} "$@"`, 'bash', ...flags], {
    cwd: folder,
    env: environment({}),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithUs(child);
  const ended = once(child, 'exit');
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return {
    output: () => text,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(text);
        if (match !== null) return match;
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} before ${pattern}:\n${text}`);
        await setTimeout(20);
      }
    },
    async end() {
      if (child.exitCode !== null || child.pid === undefined) return;
      process.kill(-child.pid, 'SIGTERM');
      await ended;
    },
  };
}

/** What the program tells to export. */
function exportsIn(output: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...output.matchAll(/export (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** The lines from the clone to the push, as they are printed. */
function ownPush(output: string): string {
  const [lines] = /^git clone [\s\S]*?git push$/m.exec(output) ?? [];
  if (lines === undefined) throw new Error(`no push is printed:\n${output}`);
  return lines;
}

/** A person's own settings are not asked for. */
function environment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const who = { NAME: 'Nora Newcomer', EMAIL: 'nora@example.com' };
  const git = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value])),
  );
  const others = Object.entries(process.env).filter(([name]) => !/^(?:POOLKEEPER_|GIT_|KUBECONFIG)/.test(name));
  return { ...Object.fromEntries(others), ...git, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', ...more };
}

async function runAsPrinted(folder: string, lines: string, more: Readonly<Record<string, string>>): Promise<string> {
  const into = join(folder, 'work');
  await mkdir(into, { recursive: true });
  const where = lines.startsWith('git clone') ? into : folder;
  const env = environment(more) as Record<string, string>;
  return (await runCommand({ file: 'bash', args: ['-ec', lines], folder: where, env })).trim();
}

async function titleOf(page: string): Promise<string> {
  const answer = await fetch(page, { headers: { accept: 'text/html' } });
  const [, title = ''] = /<title>([^<]*)/.exec(await answer.text()) ?? [];
  if (answer.status !== 200) throw new Error(`${page} answered ${answer.status}`);
  return title;
}

interface Shown {
  readonly clusters: readonly { readonly pools: readonly { readonly name: string; readonly pause?: object }[] }[];
  readonly timeline: readonly {
    readonly id: string;
    readonly pool: string;
    readonly type: string;
    readonly text: string;
  }[];
}

async function shownOn(page: string): Promise<Shown> {
  const answer = await fetch(page, { headers: { accept: 'application/json' } });
  return (await answer.json()) as Shown;
}

/** Our pauses of pool worker that the timeline has. */
function pausesIn({ timeline }: Shown): Shown['timeline'] {
  return timeline.filter(({ pool, type }) => pool === 'worker' && type === 'poolkeeper.pool.paused.v1');
}

/** Why pool worker is paused, or was for a while that was over before anybody looked, as on a busy machine.
 *  @param before ids of earlier pauses */
async function pausedFor(page: string, before: readonly string[]): Promise<string> {
  for (;;) {
    const shown = await shownOn(page);
    const worker = shown.clusters.flatMap(({ pools }) => pools).find(({ name }) => name === 'worker');
    if (worker?.pause !== undefined) return JSON.stringify(worker.pause);
    const pause = pausesIn(shown).find(({ id }) => !before.includes(id));
    if (pause !== undefined) return `ours, over by now: ${pause.text}`;
    await setTimeout(50);
  }
}
