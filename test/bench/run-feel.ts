import { existsSync } from 'node:fs';
import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCommandLine } from '../../local/cli/build.ts';
import { removeFolder, temporaryFolder } from '../cluster/harness/leave-nothing.ts';
import { buildToolchain } from '../cluster/toolchain/build-toolchain.ts';
import { runCommand } from '../cluster/toolchain/run-command.ts';
import { describeGoals, type Goal, isMissed } from './goal.ts';
import { type Intake, type IntakeCost, measureIntakes } from './intake/measure.ts';
import { largePush, smallPush } from './intake/payloads.ts';
import { type CommandCost, measureCommands, measureFirstRequest, type Program } from './measure-commands.ts';
import { median } from './quantile.ts';
import { machineOf } from './surroundings.ts';
import { table } from './table.ts';
import { writeFigures } from './write-figures.ts';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'docs/benchmarks.md');

/** The commit that the command line and the intake were made faster from. */
const before = '0800ebd9';

/** Milliseconds of processor time, on the machine on which `--help` took `helpBefore` at the commit before. */
const limits = { help: 150, firstRequest: 350, helpBefore: 1459 } as const;
/** Times the floor, and probot, whose listener reads no file. Why not less: docs/decisions/0036-goals-of-speed.md. */
const intakeLimits = { small: { floor: 1.75, probot: 1 }, large: { floor: 1.5, probot: 1.15 } } as const;

const lines = ['explain --help', 'explain --no-such-flag', 'hold --pool worker --for 9000h --reason disks'];

/** Measures the command line and the intake, today's and those of the commit before, and writes the page. False: a goal
 *  is missed. */
export async function benchFeel(): Promise<boolean> {
  const where = await machineOf();
  const folder = await temporaryFolder('bench-feel');
  const old = join(folder, 'before');
  try {
    await checkOut(old);
    const programs = await programsIn(folder, old);
    const peers = await peersOf();
    const commands = [
      ...(await measureCommands([...programs, ...peers], ['--help'], 5)),
      ...(await measureCommands(programs, lines, 5)),
    ];
    // The commit before starts Node a second time, whose time is not seen here.
    const asked = programs.filter(({ name }) => name !== 'before');
    const cluster = { rounds: 5, folder };
    const asking = [
      ...(await measureFirstRequest(asked, { ...cluster, words: ['explain'] })),
      ...(await measureFirstRequest(asked, { ...cluster, words: ['why'] })),
    ];
    const servers = intakesIn(old);
    const small = await measureIntakes(servers, smallPush(), { rounds: 7, pushes: 800 });
    const large = await measureIntakes(servers, largePush(2000), { rounds: 21, pushes: 20 });
    const costs = [...commands, ...asking];
    const goals = [
      ...commandGoals(costs, programs.slice(1)),
      ...intakeGoals('7 kB', small, intakeLimits.small),
      ...intakeGoals('1.2 MB', large, intakeLimits.large),
    ];
    const figures = [
      `Run on ${where.date} at commit ${where.commit}, beside ${before}: ${where.machine}, load average ${where.load} before it began; Node ${process.version}.`,
      commandTable([...programs, ...peers], costs),
      intakeTable(small, large),
      describeGoals(goals),
    ].join('\n\n');
    await writeFigures(page, figures, 'the command line and the intake');
    console.log(`\n${figures}`);
    return !goals.some(isMissed);
  } finally {
    await runCommand({ file: 'git', args: ['-C', root, 'worktree', 'remove', '--force', old] }).catch(() => undefined);
    await removeFolder(folder);
  }
}

/** The commit before, with the packages that are installed here and the server of the intake from here. */
async function checkOut(old: string): Promise<void> {
  await runCommand({ file: 'git', args: ['-C', root, 'worktree', 'add', '--detach', old, before] });
  await rm(join(old, 'node_modules'), { recursive: true, force: true });
  await symlink(join(root, 'node_modules'), join(old, 'node_modules'));
  await mkdir(join(old, 'test/bench/intake'), { recursive: true });
  await cp(join(import.meta.dirname, 'intake/server.ts'), join(old, 'test/bench/intake/server.ts'));
}

async function programsIn(folder: string, old: string): Promise<readonly Program[]> {
  const packed = join(folder, 'packed');
  await buildCommandLine(join(packed, 'dist/cli'));
  for (const file of ['local/cli/poolkeeper.mjs', 'package.json']) await cp(join(root, file), join(packed, file));
  const program = (name: string, from: string) => ({
    name,
    command: [process.execPath, join(from, 'local/cli/poolkeeper.mjs')],
  });
  return [program('before', old), program('checkout', root), program('package', packed)];
}

/** Command lines that the same people use: what the cluster suite builds, and what deploys the stack. */
async function peersOf(): Promise<readonly Program[]> {
  const { kubectl } = await buildToolchain(console.log);
  return [
    { name: 'kubectl', command: [kubectl] },
    { name: 'cdk', command: [process.execPath, join(root, 'node_modules/aws-cdk/bin/cdk')] },
  ];
}

/** probot only where it is installed: `npm install` in test/bench/intake/probot. */
function intakesIn(old: string): readonly Intake[] {
  const server = join(import.meta.dirname, 'intake/server.ts');
  const isProbotThere = existsSync(join(import.meta.dirname, 'intake/probot/node_modules'));
  return [
    { name: 'floor', server, kind: 'floor' },
    { name: '@octokit/webhooks', server, kind: 'octokit' },
    ...(isProbotThere ? [{ name: 'probot', server, kind: 'probot' as const }] : []),
    { name: 'before', server: join(old, 'test/bench/intake/server.ts'), kind: 'poolkeeper' },
    { name: 'Poolkeeper', server, kind: 'poolkeeper' },
  ];
}

function commandTable(programs: readonly Program[], costs: readonly CommandCost[]): string {
  const lineOf = (line: string) => [
    line === 'explain' || line === 'why' ? `\`${line}\`, until its first request` : `\`${line}\``,
    ...programs.map(({ name }) => {
      const cost = costs.find((each) => each.name === name && each.line === line);
      return cost === undefined ? '' : median(cost.rounds).toFixed(0);
    }),
  ];
  return table(
    ['processor time, ms', ...programs.map(({ name }) => name)],
    [...new Set(costs.map(({ line }) => line))].map(lineOf),
  );
}

function intakeTable(small: readonly IntakeCost[], large: readonly IntakeCost[]): string {
  const over = (costs: readonly IntakeCost[], cost: IntakeCost) =>
    `${(cost.microseconds / (costs.find(({ name }) => name === 'floor')?.microseconds ?? Number.NaN)).toFixed(2)} ×`;
  return table(
    ['', '7 kB push, μs', ': floor', '1.2 MB push, μs', ': floor'],
    small.map((cost, index) => {
      const other = large[index] ?? cost;
      return [
        cost.name,
        cost.microseconds.toFixed(0),
        over(small, cost),
        other.microseconds.toFixed(0),
        over(large, other),
      ];
    }),
  );
}

/** Of each program the slowest lines: where they are fast enough, all are. As shares of what `--help` took before, so
 *  that a slow machine misses nothing. */
function commandGoals(costs: readonly CommandCost[], ours: readonly Program[]): readonly Goal[] {
  const helpBefore = median(costs.find(({ name, line }) => name === 'before' && line === '--help')?.rounds ?? []);
  const goalOf = ({ rounds }: CommandCost, what: string, atMostMs: number): Goal => ({
    what,
    atMost: atMostMs / limits.helpBefore,
    unit: '×',
    rounds: rounds.map((ms) => ms / helpBefore),
  });
  const isAsking = ({ line }: CommandCost) => line === 'explain' || line === 'why';
  return ours.flatMap(({ name }) => {
    const own = costs.filter((cost) => cost.name === name).toSorted((a, b) => median(b.rounds) - median(a.rounds));
    const [help, asking] = [own.find((cost) => !isAsking(cost)), own.find(isAsking)];
    return [
      ...(help === undefined ? [] : [goalOf(help, `${name}, \`${help.line}\``, limits.help)]),
      ...(asking === undefined
        ? []
        : [goalOf(asking, `${name}, \`${asking.line}\` until its first request`, limits.firstRequest)]),
    ];
  });
}

/** Round by round beside the floor, and beside probot where it was measured. */
function intakeGoals(
  size: string,
  costs: readonly IntakeCost[],
  atMost: { readonly floor: number; readonly probot: number },
): readonly Goal[] {
  const roundsOf = (wanted: string) => costs.find(({ name }) => name === wanted)?.rounds ?? [];
  const beside = (peer: string) => {
    const theirs = roundsOf(peer);
    return roundsOf('Poolkeeper').flatMap((ours, round) => ours / (theirs[round] ?? Number.NaN));
  };
  return [
    { what: `A push of ${size}, as a multiple of the floor`, atMost: atMost.floor, unit: '×', rounds: beside('floor') },
    ...(roundsOf('probot').length === 0
      ? []
      : [
          {
            what: `A push of ${size}, as a multiple of probot`,
            atMost: atMost.probot,
            unit: '×' as const,
            rounds: beside('probot'),
          },
        ]),
  ];
}

if (import.meta.main) process.exitCode = (await benchFeel()) ? 0 : 1;
