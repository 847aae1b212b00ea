import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { annotation } from './harness/pool-rules.ts';
import { readPool } from './product.ts';
import {
  aRun,
  byTurns,
  changed,
  databases,
  endsOf,
  home,
  jobsOf,
  lab,
  linesOf,
  namesOf,
  rule,
  runner,
  settingsOf,
  testMs,
  useTurns,
  type Way,
} from './turns-run.ts';

const { kube } = lab;

useTurns();

/** Fails for one node, once. */
const move = `
if [ "$NODE_NAME/$POOLKEEPER_PART/$POOLKEEPER_ATTEMPT" = turns-whole-2/before/1 ]; then echo "primary not found"; exit 3; fi
echo "moved away from $NODE_NAME"`;

describe('a run in mode turns, on a real API server with its Jobs and its scheduler', () => {
  test(
    '[S4-10] [S4-11] [S4-12] [S4-17] [S4-20] [N-22] each node has its Jobs, its update and its clean-ups; one that fails blocks, a retry goes on, and nothing else has changed after it',
    testMs,
    async () => {
      const name = 'turns-whole';
      const run = await aRun(name, { move: rule(name, move), silence: rule(name, 'echo "silenced $NODE_NAME"') });
      const [first = '', second = '', third = ''] = run.nodes;
      const pristine = await settingsOf(name);

      const hasFailed = async () => (await run.record()).turns[second]?.failed !== undefined;
      await run.until(hasFailed, 'a Job to have failed');
      const blocked = await run.record();
      const shown = await run.run('status', name);
      await run.run('retry', name, second, '--reason', 'the primary is there again');
      const isDone = async () => (await readPool(lab, name)).record?.holds.length === 0;
      await run.until(isDone, 'the run to be done');
      await run.end();

      expect(blocked.turns[second]?.failed).toMatch(
        new RegExp(`^${home}/move failed: Job ${databases}/move-\\w+-1: exit code 3: .*primary not found$`),
      );
      expect([shown.status, shown.text]).toEqual([
        1,
        expect.stringContaining(`poolkeeper run retry ${name} ${second}`),
      ]);
      const whole = (node: string) =>
        ['before', 'after'].flatMap((part) => [`move ${part} ${node}`, `silence ${part} ${node}`]);
      expect(await run.jobs()).toEqual([...whole(first), `move before ${second}`, ...whole(second), ...whole(third)]);
      for (const { metadata } of await jobsOf(name))
        expect(runner.placed.get(`${databases}/${metadata.name}`)).toSatisfy(
          (placed) => run.nodes.includes(placed) && placed !== metadata.labels?.['poolkeeper.dev/node'],
        );
      const { turns, log } = await run.record();
      expect(Object.values(turns).map(({ step }) => step)).toEqual(['done', 'done', 'done']);
      expect(log.map(({ what }) => what)).toContain(`${home}/move succeeded: moved away from ${third}`);
      const config = (await kube.get(`${paths.pools}/${name}`)).spec.configuration.name;
      expect(await endsOf(run.nodes)).toEqual(run.nodes.map(() => [config, undefined]));
      expect(await settingsOf(name)).toEqual(pristine);
      expect(await changed(run)).toEqual(linesOf(name, run.nodes));
    },
  );

  test(
    '[S4-10] [S4-11] [S4-12] [S4-38] three of four nodes at once: never more, each with its Jobs before and after its update',
    testMs,
    async () => {
      const name = 'turns-three';
      const way = byTurns(name, { nodes: 4, atOnce: 3 });
      const run = await aRun(name, { move: rule(name, 'echo "moved away from $NODE_NAME"') }, way);
      const pristine = await settingsOf(name);

      const together: number[] = [];
      const isDone = async () => {
        const { turns } = await run.record();
        together.push(Object.values(turns).filter(({ step }) => step !== 'done').length);
        return together.some((count) => count > 0) && (await readPool(lab, name)).record?.holds.length === 0;
      };
      await run.until(isDone, 'the run to be done');
      await run.end();

      expect(Math.max(...together)).toBe(3);
      const jobs = await run.jobs();
      expect(jobs.toSorted()).toEqual(
        run.nodes.flatMap((each) => [`move after ${each}`, `move before ${each}`]).toSorted(),
      );
      for (const each of run.nodes)
        expect(jobs.filter((job) => job.endsWith(each))).toEqual([`move before ${each}`, `move after ${each}`]);
      expect(await settingsOf(name)).toEqual(pristine);
      expect(await changed(run)).toEqual(linesOf(name, run.nodes));
    },
  );

  test(
    '[S4-21] [N-22] aborted while a Job runs: it ends, its clean-up runs, and all is as it was but for the node that was done',
    testMs,
    async () => {
      const name = 'turns-aborted';
      const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-turns-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const go = join(folder, 'go');
      const waits = `[ "$NODE_NAME/$POOLKEEPER_PART" != ${name}-2/before ] || until [ -e "$GO" ]; do sleep 0.1; done`;
      const run = await aRun(name, { move: rule(name, waits, [{ name: 'GO', value: go }]) });
      const [first = '', second = ''] = run.nodes;
      const pristine = await settingsOf(name);

      const isRunning = async () => (await run.jobs()).at(-1) === `move before ${second}`;
      await run.until(isRunning, 'the Job of the second node to run');
      await run.run('abort', name, '--reason', 'wrong night');
      await run.until(async () => (await run.record()).aborted !== undefined, 'a look after the abort');
      const meanwhile = await run.jobs();
      await writeFile(go, '');
      const isLetGo = async () => (await readPool(lab, name)).record?.holds.length === 0;
      await run.until(isLetGo, 'the run to have ended');
      await run.end();

      expect(await run.jobs()).toEqual([
        `move before ${first}`,
        `move after ${first}`,
        `move before ${second}`,
        `move after ${second}`,
      ]);
      expect(meanwhile).toHaveLength(3);
      expect((await run.record()).endedAt).toBeDefined();
      expect(await settingsOf(name)).toEqual(pristine);
      expect(await changed(run)).toEqual(linesOf(name, [first]));
    },
  );
});

const workerRole = 'node-role.kubernetes.io/worker';

/** Two nodes of a custom pool and a plain worker have turns; the canary asks for a label that none has. */
function byCanary(name: string, canary: object = {}): Way {
  const [own, of] = [pool({ name, roles: [name] }), `${name}-canary`];
  const nodeSelector = {
    matchLabels: { [workerRole]: '' },
    matchExpressions: [{ key: 'isCanary', operator: 'Exists' }],
  };
  const quarantine = { key: 'quarantine', operator: 'NotIn', values: ['yes'] };
  return {
    run: { mode: 'canary', canary: { name: of, ...canary } },
    pools: [
      { ...own, spec: { ...own.spec, nodeSelector: { ...own.spec.nodeSelector, matchExpressions: [quarantine] } } },
      pool({ name: 'worker', roles: [name] }),
      { ...pool({ name: of, roles: [name] }), spec: { ...pool({ name: of, roles: [name] }).spec, nodeSelector } },
    ],
    targets: [name, 'worker'],
    nodes: [['worker', name], ['worker', name], ['worker']],
  };
}

/** What a run in mode canary may change and has to put back: labels of nodes, and pools as far as people set them. */
async function startOf({ pools }: Way, nodes: readonly string[]): Promise<unknown> {
  const settings = await Promise.all(
    namesOf(pools).map(async (name) => {
      const { spec, ...others } = await settingsOf(name);
      return { ...others, paused: spec.paused, nodeSelector: JSON.stringify(spec['nodeSelector']) };
    }),
  );
  const labels = nodes.map(async (each) => JSON.stringify((await kube.get(`${paths.nodes}/${each}`)).metadata.labels));
  return { settings, labels: await Promise.all(labels) };
}

/** Whether we ever wrote the selector of the pool. */
async function isSelectorOurs(name: string): Promise<boolean> {
  const { managedFields } = await readPool(lab, name);
  return managedFields.some(
    ({ manager, fieldsV1 }) => manager === 'poolkeeper' && JSON.stringify(fieldsV1).includes('"f:nodeSelector"'),
  );
}

describe('a run in mode canary, on a real API server with its Jobs and its scheduler', () => {
  test.each([
    ['turns-canary', 'a label that the canary asks for', {}, [true, false, false]],
    ['turns-exclude', 'labels of rules that it excludes', { exclude: true }, [true, false, true]],
  ] as const)(
    '[S4-8] [S4-11] [S4-12] [S4-34] [S4-36] %s, by %s: each node has its Jobs and its update, and then labels and selectors are as they were',
    testMs,
    async (name, _, canary, written) => {
      const way = byCanary(name, canary);
      const run = await aRun(name, { move: rule(name, 'echo "moved away from $NODE_NAME"') }, way);
      const pristine = await startOf(way, run.nodes);

      const isDone = async () => {
        const { turns } = await run.record();
        const pools = await Promise.all(way.targets.map((each) => readPool(lab, each)));
        return Object.keys(turns).length > 0 && pools.every(({ record }) => record?.holds.length === 0);
      };
      await run.until(isDone, 'the run to be done');
      await run.end();

      expect(await run.jobs()).toEqual(run.nodes.flatMap((each) => [`move before ${each}`, `move after ${each}`]));
      const config: string = (await kube.get(`${paths.pools}/${name}-canary`)).spec.configuration.name;
      expect(await endsOf(run.nodes)).toEqual(run.nodes.map(() => [config, undefined]));
      expect(await startOf(way, run.nodes)).toEqual(pristine);
      expect(await Promise.all(namesOf(way.pools).map(isSelectorOurs))).toEqual(written);
      expect(await changed(run)).toEqual([
        `+ /api/v1/configmaps ${home}/poolkeeper-run-${name}`,
        ...run.nodes.map((each) => `~ /api/v1/nodes ${each}`),
        ...namesOf(way.pools)
          .map((each) => `~ ${paths.pools} ${each}`)
          .toSorted(),
      ]);
    },
  );

  test(
    '[S4-21] [N-22] aborted at each of its steps: labels, selectors, notes and pauses are as they were, and the next run begins anew',
    testMs,
    async () => {
      const name = 'turns-steps';
      // Two nodes of a custom pool and labels of rules: every kind of write.
      const both = byCanary(name, { exclude: true });
      const way = { ...both, pools: both.pools.toSpliced(1, 1), targets: [name], nodes: both.nodes.slice(0, 2) };
      const run = await aRun(name, { move: rule(name, 'echo "moved away from $NODE_NAME"') }, way);
      const pristine = await startOf(way, run.nodes);
      const label = `rule.poolkeeper.dev/move.${home}`;
      /** How many nodes have it. */
      const labelled = async () => {
        const all = await Promise.all(run.nodes.map((each) => kube.get(`${paths.nodes}/${each}`)));
        return all.filter(({ metadata }) => metadata.labels?.[label] !== undefined).length;
      };
      const asksForIt = async (each: string) =>
        JSON.stringify((await kube.get(`${paths.pools}/${each}`)).spec.nodeSelector).includes(label);
      const hasTold = async (part: string) => (await run.jobs()).at(-1)?.startsWith(`move ${part}`) === true;
      const steps: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
        'its pool is held': async () => (await readPool(lab, name)).record?.holds.length === 1,
        'it is noted': async () => 'poolkeeper.dev/canary' in (await settingsOf(name)).annotations,
        'its nodes are labelled': async () => (await labelled()) === 2,
        'the pool asks for labels': () => asksForIt(name),
        'the canary excludes them': () => asksForIt(`${name}-canary`),
        'a Job has begun': () => hasTold('before'),
        'a node is in the canary': async () => (await asksForIt(name)) && (await labelled()) === 1,
      };

      for (const [step, isReached] of Object.entries(steps)) {
        await run.until(isReached, step);
        await run.run('abort', name, '--reason', step);
        const isOver = async () => {
          const { endedAt } = await run.record();
          return endedAt !== undefined && (await readPool(lab, name)).record?.holds.length === 0;
        };
        await run.until(isOver, `the run to have ended, aborted when ${step}`);

        expect([step, await startOf(way, run.nodes)]).toEqual([step, pristine]);
        await run.run('start', name, '--reason', 'again');
      }
      await run.end();

      const cleaned = (await run.jobs()).filter((each) => each.startsWith('move after'));
      expect(cleaned.length).toBeGreaterThan(0);
      const moved = await Promise.all(
        run.nodes.map(async (each) => (await kube.get(`${paths.nodes}/${each}`)).metadata),
      );
      const configs = moved.map(({ annotations }) => annotations?.[annotation.current]?.replace(/-[0-9a-f]+$/, ''));
      // Who was let go before an abort ended its turn.
      expect(configs).toContain(`rendered-${name}-canary`);
    },
  );
});
