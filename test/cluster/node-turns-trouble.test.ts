import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { memberOf } from '../../functions/core/openshift/member.ts';
import type { KubeObject } from './harness/kube.ts';
import { node } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { annotation } from './harness/pool-rules.ts';
import { readPool } from './product.ts';
import type { CommandResult } from './sequence-run.ts';
import {
  addNode,
  aReadyRun,
  aRun,
  byTurns,
  changed,
  databases,
  endsOf,
  home,
  jobsIn,
  jobsOf,
  jobText,
  lab,
  linesOf,
  rendered,
  rule,
  runner,
  settingsOf,
  testMs,
  useTurns,
} from './turns-run.ts';

const { kube } = lab;

useTurns();

const nodePath = (name: string) => `${paths.nodes}/${name}`;
const person = { fieldManager: 'kubectl' };

async function annotationsOf(name: string): Promise<Readonly<Record<string, string>>> {
  return (await kube.get(nodePath(name))).metadata.annotations ?? {};
}

async function cordon(name: string, unschedulable: true | null): Promise<void> {
  await kube.patch(nodePath(name), { spec: { unschedulable } }, person);
}

/** Whether the pool has been let go. */
async function isLetGo(name: string): Promise<boolean> {
  return (await readPool(lab, name)).record?.holds.length === 0;
}

/** Where Jobs look for files that let them go on. */
async function folderOfFiles(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-turns-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function asSent(manifest: object): KubeObject {
  return JSON.parse(JSON.stringify(manifest));
}

/** In one line. */
function flat({ text }: CommandResult): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** A keeper that is killed at its first write: before it is made, or before its answer comes. */
interface MortalKeeper {
  readonly through: (connection: ClusterConnection) => ClusterConnection;
  /** Settles when it is killed. */
  readonly killed: Promise<void>;
  readonly isDead: () => boolean;
}

/** What it writes is added to `made`. */
function mortalKeeper(dies: 'before' | 'after' | 'never', made: string[]): MortalKeeper {
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  let isDead = false;
  const die = () => {
    isDead = true;
    resolve();
    throw new Error(`killed ${dies} its first write`);
  };
  async function write<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
    if (isDead || dies === 'before') die();
    // Nothing that goes beside it is written.
    isDead = dies === 'after';
    const result = await call().catch((cause: unknown) => {
      // Somebody else was faster: it lives, and looks again.
      isDead = false;
      throw cause;
    });
    made.push(what);
    if (dies === 'after') die();
    return result;
  }
  return {
    killed,
    isDead: () => isDead,
    through: ({ pools, nodeTurns, ...connection }) => ({
      ...connection,
      pools: {
        ...pools,
        patchPool: (pool, change) =>
          write(`${pool.name} ${change.paused === undefined ? 'noted' : change.paused ? 'paused' : 'let go'}`, () =>
            pools.patchPool(pool, change),
          ),
      },
      nodeTurns: {
        ...nodeTurns,
        records: {
          ...nodeTurns.records,
          save: (...record) => write('record', () => nodeTurns.records.save(...record)),
        },
        jobs: {
          ...nodeTurns.jobs,
          createJob: (namespace, manifest) =>
            write(jobText(asSent(manifest)), () => nodeTurns.jobs.createJob(namespace, manifest)),
        },
        nodes: {
          ...nodeTurns.nodes,
          changeNode: (fresh, change) =>
            write(`${fresh.node.name} ${'desiredConfig' in change ? 'goes' : 'is cordoned'}`, () =>
              nodeTurns.nodes.changeNode(fresh, change),
            ),
        },
      },
    }),
  };
}

test(
  '[S4-12] [S4-14] [S4-19] [S4-32] [S4-39] keepers that are killed before and after each of their writes, their table lost each time: every effect once, in its order, and all is as it was',
  testMs,
  async () => {
    const name = 'turns-killed';
    const way = byTurns(name, { unavailableAtMost: 2, cordoned: 'take' });
    const run = await aReadyRun(name, { move: rule(name, 'echo "moved away from $NODE_NAME"') }, way);
    const [first = '', second = '', third = ''] = run.nodes;
    await cordon(second, true);
    const pristine = await settingsOf(name);
    const made: string[] = [];
    const isOver = async () => Object.keys((await run.record()).turns).length === 3 && (await isLetGo(name));

    let keepers = 0;
    while (!(await isOver())) {
      const mortal = mortalKeeper(keepers % 2 === 0 ? 'before' : 'after', made);
      const keeper = await run.keeper({ through: mortal.through });
      while (!mortal.isDead()) await Promise.race([keeper.look(), mortal.killed]);
      await mortal.killed;
      await keeper.end();
      keepers += 1;
    }
    const writes = [...made];
    const last = await run.keeper({ through: mortalKeeper('never', made).through });
    for (let looks = 0; looks < 3; looks += 1) await last.look();
    await last.end();

    expect(keepers).toBe(2 * writes.length);
    const turnOf = (each: string, ...more: readonly string[]) => [
      `move before ${each}`,
      `${each} goes`,
      ...more,
      `move after ${each}`,
    ];
    expect(made.filter((what) => what !== 'record' && !what.endsWith(' noted'))).toEqual([
      `${name} paused`,
      ...turnOf(first),
      ...turnOf(second, `${second} is cordoned`),
      ...turnOf(third),
      `${name} let go`,
    ]);
    const jobs = await jobsOf(name);
    expect(jobs.map(jobText)).toEqual(made.filter((what) => what.startsWith('move ')));
    const begun = runner.begun.filter((each) => jobs.some(({ metadata }) => each === `${databases}/${metadata.name}`));
    expect(begun).toHaveLength(jobs.length);
    const config = (await kube.get(`${paths.pools}/${name}`)).spec.configuration.name;
    expect(await endsOf(run.nodes)).toEqual(run.nodes.map((each) => [config, each === second ? true : undefined]));
    expect(await settingsOf(name)).toEqual(pristine);
    expect(await changed(run)).toEqual(linesOf(name, run.nodes));
  },
);

test(
  '[S4-12] [S4-14] [S4-17] [S4-20] [S4-32] [S4-37] a Job that hangs ends by its time limit, one that somebody deletes blocks, and with a pool that was rendered anew the run goes on to the end',
  testMs,
  async () => {
    const name = 'turns-hangs';
    const files = await folderOfFiles();
    const [first, second] = [`${name}-1`, `${name}-2`];
    const waits = `[ "$NODE_NAME/$POOLKEEPER_PART/$POOLKEEPER_ATTEMPT" != ${second}/before/1 ] || sleep 86400`;
    const rules = {
      // Of one node; what follows must not depend on how fast this machine is.
      hang: {
        ...rule(name, '[ -e "$FILES/hung" ] || { : > "$FILES/hung"; sleep 86400; }', [{ name: 'FILES', value: files }]),
        cleanUpJobSpec: undefined,
        nodeSelector: { 'node-role.kubernetes.io/slow': '' },
        timeout: '10s',
        retries: 1,
        backOff: '0s',
        onFailure: 'ignore',
      },
      move: rule(name, waits),
    };
    const way = byTurns(name, { nodes: 2 });
    const run = await aRun(name, rules, {
      ...way,
      nodes: way.nodes.map((roles, at) => (at ? roles : [...roles, 'slow'])),
    });
    const pristine = await settingsOf(name);
    const target = async (): Promise<string> => (await kube.get(`${paths.pools}/${name}`)).spec.configuration.name;
    const old = await target();

    const isSeen = async () =>
      (await run.jobs()).at(-1) === `move before ${second}` && (await run.record()).turns[second]?.seen === true;
    await run.until(isSeen, 'the Job of the second node to run');
    const deleted = (await jobsOf(name)).at(-1)?.metadata.name ?? '';
    await kube.delete(`${jobsIn}/${deleted}?propagationPolicy=Background`);
    const hasFailed = async () => (await run.record()).turns[second]?.failed !== undefined;
    await run.until(hasFailed, 'the Job that is gone to be missed');
    const blocked = await run.record();
    const shown = await run.run('status', name);
    await rendered(name, 'third', way);
    await run.product.look();
    const stood = await run.jobs();
    await run.run('retry', name, second, '--reason', 'it was an accident');
    await run.until(() => isLetGo(name), 'the run to be done');
    await run.end();

    const own = (jobs: readonly string[]) => jobs.filter((each) => !each.startsWith('hang'));
    const begun = [`move before ${first}`, `move after ${first}`];
    expect(own(stood)).toEqual(begun);
    expect(own(await run.jobs())).toEqual([
      ...begun,
      `move before ${second}`,
      `move after ${second}`,
      `move before ${first}`,
      `move after ${first}`,
    ]);
    const { turns, log } = await run.record();
    const hung = log.filter(({ what }) => what.startsWith(`${home}/hang failed`));
    expect(hung[0]).toEqual(
      expect.objectContaining({ node: first, what: expect.stringMatching(/\/hang-\w+-1: .*DeadlineExceeded/) }),
    );
    expect(stood.filter((each) => each.startsWith('hang'))).toEqual([`hang before ${first}`, `hang before ${first}`]);
    expect(deleted).toMatch(/^move-\w+-1$/);
    const again = (await jobsOf(name)).find((job) => jobText(job) === `move before ${second}`);
    expect(again?.metadata.name).toMatch(/^move-\w+-2$/);
    expect(blocked.turns[second]?.failed).toBe(`${home}/move failed: its Job is gone: somebody deleted it`);
    expect([shown.status, shown.text]).toEqual([1, expect.stringContaining(`poolkeeper run retry ${name} ${second}`)]);
    expect(log.flatMap(({ node: of, what }) => (what.startsWith('let go to ') ? [`${of} ${what}`] : []))).toEqual([
      `${first} let go to ${old}`,
      `${second} let go to ${await target()}`,
      `${first} let go to ${await target()}`,
    ]);
    expect(Object.values(turns).map(({ step }) => step)).toEqual(['done', 'done']);
    const { spec, ...others } = await settingsOf(name);
    expect({ ...others, spec: { ...spec, configuration: pristine.spec['configuration'] } }).toEqual(pristine);
    expect(await changed(run)).toEqual([
      ...linesOf(name, run.nodes),
      `~ ${paths.machineConfigs} 99-${name}`,
      `+ ${paths.machineConfigs} ${await target()}`,
    ]);
  },
);

/** A node joins as a machine that came up with this config. */
async function joins(name: string, pool: string, config: string): Promise<void> {
  const { metadata, ...draft } = node(name, 'worker', pool);
  const annotations = { [annotation.current]: config, [annotation.desired]: config, [annotation.state]: 'Done' };
  await addNode({ ...draft, metadata: { ...metadata, annotations } });
}

test(
  '[S4-4] [S4-12] [S4-18] [S4-20] [S4-32] [S4-38] [S4-39] [S4-40] nodes that leave, join, are cordoned by a person and degrade in the middle of a run: each has its turn, once, when that is over, and whoever joins is told of',
  testMs,
  async () => {
    const name = 'turns-people';
    const files = await folderOfFiles();
    const sick = new Set<string>();
    const degraded = { degraded: 'unexpected on-disk state validating against rendered-config' };
    const waits = `
case "$NODE_NAME/$POOLKEEPER_PART" in
  ${name}-1/before | ${name}-2/before) until [ -e "$FILES/$NODE_NAME" ]; do sleep 0.1; done ;;
esac`;
    const run = await aRun(
      name,
      { move: rule(name, waits, [{ name: 'FILES', value: files }]) },
      {
        ...byTurns(name, { nodes: 4, unavailableAtMost: 2 }),
        outcome: (each) => (sick.has(each) ? degraded : undefined),
      },
    );
    const [first = '', second = '', third = '', fourth = ''] = run.nodes;
    const [late, fresh] = [`${name}-5`, `${name}-6`];
    const old = (await annotationsOf(first))[annotation.current] ?? '';
    const pristine = await settingsOf(name);
    const isRunning = (node: string) => async () => (await run.jobs()).at(-1) === `move before ${node}`;
    const joined = () =>
      run.product.told.flatMap(({ type, data }) =>
        type === 'poolkeeper.node.joined.v1' ? [[memberOf(data, 'node'), memberOf(data, 'config')]] : [],
      );
    const isDone = (node: string) => async () => (await run.record()).turns[node]?.step === 'done';

    // While the first node's Job runs, one is cordoned, and two join.
    await run.until(isRunning(first), 'the Job of the first node to run');
    await cordon(fourth, true);
    const pausedAt = Date.parse((await readPool(lab, name)).record?.pausedSince ?? '');
    // Nodes say in whole seconds when they were made.
    await run.until(() => Date.now() >= pausedAt + 1_000, 'a later second than that of the pause');
    await joins(late, name, old);
    await addNode(node(fresh, 'worker', name));
    await run.until(() => joined().length === 2, 'both that joined to be told of');
    await writeFile(join(files, first), '');

    // The second leaves while its Job runs.
    await run.until(isRunning(second), 'the Job of the second node to run');
    await kube.delete(nodePath(second));
    for (let looks = 0; looks < 3; looks += 1) await run.product.look();
    const besideIt = await run.jobs();
    sick.add(third);
    await writeFile(join(files, second), '');

    // The third degrades on its way, and recovers.
    const isBlocked = async () => {
      const { turns, blockedSince } = await run.record();
      return turns[third]?.step === 'gone' && blockedSince !== undefined;
    };
    await run.until(isBlocked, 'the degraded node to block the run');
    const shown = await run.run('status', name);
    for (let looks = 0; looks < 3; looks += 1) await run.product.look();
    const blocked = await run.jobs();
    sick.delete(third);
    await kube.patch(nodePath(third), { metadata: { annotations: { [annotation.state]: 'Working' } } });
    await run.until(isDone(third), 'the node that recovered to be done');

    // All others are done, and one is still cordoned.
    await run.until(isDone(late), 'the node that joined with the old config to be done');
    for (let looks = 0; looks < 3; looks += 1) await run.product.look();
    const waiting = await run.run('status', name);
    const isHeld = (await readPool(lab, name)).paused;
    const without = await run.jobs();
    await cordon(fourth, null);
    await run.until(() => isLetGo(name), 'the run to be done');
    await run.end();

    const turnsOf = (...names: readonly string[]) =>
      names.flatMap((each) => [`move before ${each}`, `move after ${each}`]);
    const config: string = (await kube.get(`${paths.pools}/${name}`)).spec.configuration.name;
    expect(joined().toSorted()).toEqual([
      [late, old],
      [fresh, config],
    ]);
    expect(besideIt).toEqual([...turnsOf(first), `move before ${second}`]);
    expect([shown.status, flat(shown)]).toEqual([
      1,
      expect.stringContaining(`its config daemon reports Degraded: ${degraded.degraded}`),
    ]);
    expect(flat(shown)).toContain(third);
    expect(blocked).toEqual([...turnsOf(first, second), `move before ${third}`]);
    expect(flat(waiting)).toContain('somebody cordoned it');
    expect([isHeld, without]).toEqual([true, turnsOf(first, second, third, late)]);
    expect(await run.jobs()).toEqual(turnsOf(first, second, third, late, fourth));
    const there = [first, third, fourth, late, fresh];
    expect(await endsOf(there)).toEqual(there.map(() => [config, undefined]));
    expect(await settingsOf(name)).toEqual(pristine);
    const [record = '', ...others] = linesOf(name, [third, fourth]);
    expect(await changed(run)).toEqual([
      record,
      `~ ${paths.nodes} ${first}`,
      `- ${paths.nodes} ${second}`,
      ...others.slice(0, 2),
      `+ ${paths.nodes} ${late}`,
      `+ ${paths.nodes} ${fresh}`,
      ...others.slice(2),
    ]);
  },
);
