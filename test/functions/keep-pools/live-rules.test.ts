import { afterEach, describe, expect, it } from 'vitest';
import { jobs } from '../../../local/openshift/api-server/resource-types.ts';
import { jobSpec, type RunLab, type RunLabOptions, runLab } from './run-lab.ts';

let lab: RunLab | undefined;

afterEach(async () => {
  await lab?.stop();
  lab = undefined;
});

const live = { jobSpec: undefined, cleanUpJobSpec: undefined, fromCluster: true };
const rules = '/apis/openshift-optional.skrzypek.io/v1alpha1/namespaces/poolkeeper/mutexrules';
const workers = ['worker-0', 'worker-1'];

function aMutexRule(name: string, spec: object): object {
  const metadata = { name, namespace: 'poolkeeper' };
  return { apiVersion: 'openshift-optional.skrzypek.io/v1alpha1', kind: 'MutexRule', metadata, spec };
}

/** A run whose rule stands in the cluster. */
async function aLiveRun(spec: object = {}, options: RunLabOptions = {}): Promise<RunLab> {
  lab = await runLab({ nodes: workers, rules: { move: live }, ...options });
  await lab.connection.client.post(
    rules,
    {},
    aMutexRule('move', {
      type: 'kubernetes',
      jobName: 'anything',
      jobNamespace: 'poolkeeper',
      jobSpec,
      cleanUpJobSpec: jobSpec,
      ...spec,
    }),
  );
  await lab.tick();
  return lab;
}

/** Counts looks at the rule, and answers some of them instead of the cluster. */
function intercept(
  { connection: { reader } }: RunLab,
  answer: (look: number) => object | undefined,
): { looks: number } {
  const { read } = reader;
  const counted = { looks: 0 };
  Object.assign(reader, {
    read: (question: Parameters<typeof read>[0]) => {
      if (!question.path.includes('/mutexrules/')) return read.call(reader, question);
      counted.looks += 1;
      const instead = answer(counted.looks);
      return instead === undefined ? read.call(reader, question) : Promise.resolve(instead);
    },
  });
  return counted;
}

const blockedBy = (run: RunLab) =>
  run.lab.world.tables.incidents
    .all()
    .flatMap(({ key, trouble }) => (key.kind === 'run-blocked' ? (trouble?.findings ?? []) : []))
    .map(({ sentence }) => sentence)
    .join(' ');

const incidentsOf = (run: RunLab) => run.lab.world.tables.incidents.all().map(({ key }) => key.kind);

const turnsOf = (names: readonly string[]) =>
  names.flatMap((node) => [`move before ${node}`, `${node} goes`, `${node} is back`, `move after ${node}`]);

const ofCommand = (...args: readonly string[]) => ({
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'move', image: 'registry.example.com/a', args }] } },
});
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
const cutSpec = /MutexRule poolkeeper\/move: spec has a text longer than 16000 characters, or is nested too deep/;

const failures = {
  'an error of the server': { kind: 'failed', why: 'HTTP 500: conversion webhook failed' },
  'no permission': { kind: 'failed', why: 'HTTP 403', isForbidden: true },
  'an API that is not served': { kind: 'absent' },
} as const;

describe('a rule whose Jobs stand in a MutexRule of the cluster', () => {
  it('[S4-33] has its Jobs made as they stand there, and a quiet tick does not read it', async () => {
    const image = 'registry.example.com/live';
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'move', image }] } };
    const run = await aLiveRun({ jobSpec: { template }, cleanUpJobSpec: { template } });
    const counted = intercept(run, () => undefined);
    await run.tick();
    const quiet = counted.looks;

    await run.change();
    await run.until(() => !run.isPaused());
    const after = counted.looks;
    await run.tick();

    expect([quiet, counted.looks - after]).toEqual([0, 0]);
    expect(run.seen).toEqual(turnsOf(workers));
    const made = run.openshift.registry.list(jobs);
    expect(made.map(({ spec }) => JSON.stringify(spec)).every((text) => text.includes(image))).toBe(true);
    expect(made).toHaveLength(4);
  });

  it('[S4-12] [S4-33] whose jobSpec somebody takes away while its Job runs: the node waits for the Job', async () => {
    const run = await aLiveRun();
    run.openshift.kubelets.runPods(() => true, { forMs: 240_000, exitCode: 0 });
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'));
    await run.connection.client.mergePatch(`${rules}/move`, {}, { spec: { jobSpec: null } });
    await run.clock.advance(60_000);
    await run.tick();
    const early = [...run.seen];
    await run.until(() => !run.isPaused());

    expect(early).toEqual(['move before worker-0']);
    expect(run.seen.slice(0, 4)).toEqual(turnsOf(['worker-0']));
  });

  it('[S4-33] of which only an annotation is long is carried out, to the letter of what looks like a secret', async () => {
    const args = ['login', 'https://anna:geheim@registry.example.com', 'password=abcdef', 'x'.repeat(15_000)];
    const spec = ofCommand(...args);
    const run = await aLiveRun({ jobSpec: spec, cleanUpJobSpec: spec });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify([spec, spec]) };
    await run.connection.client.mergePatch(`${rules}/move`, {}, { metadata: { annotations } });

    await run.change();
    await run.until(() => !run.isPaused());

    const made = run.openshift.registry.list(jobs).map((job) => JSON.stringify(job.spec));
    expect(made.filter((text) => text.includes(JSON.stringify(args)))).toHaveLength(4);
  });

  it.each(Object.entries(failures))(
    '[S4-33] [S4-32] reads that fail in every second look, with %s, abort nothing and let nothing go: the same happens, once',
    async (_, failure) => {
      const run = await aLiveRun();
      const isLasting = failure.kind === 'absent' || 'isForbidden' in failure;
      intercept(run, (look) => (look % 2 === 0 ? failure : undefined));
      let aborted = 0;

      await run.change();
      await run.until(async () => {
        if ((await run.record()).aborted !== undefined) aborted += 1;
        return !run.isPaused();
      });

      expect(run.seen).toEqual(turnsOf(workers));
      expect(run.updated()).toEqual(workers);
      expect(aborted).toBe(0);
      expect(incidentsOf(run).includes('run-blocked')).toBe(isLasting);
    },
  );

  it('[S4-33] [S4-20] that the server fails to give is told after a quarter of an hour, whatever it says each time', async () => {
    const run = await aLiveRun();
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));
    intercept(run, (look) => ({ kind: 'failed', why: `HTTP 503: request ${look}` }));
    const from = run.clock.now().getTime();

    await run.until(() => run.clock.now().getTime() - from >= 14 * 60_000, 20);
    const early = incidentsOf(run);
    await run.until(() => run.lab.troubles().includes('run-blocked'), 5);

    expect(early).not.toContain('run-blocked');
    expect(blockedBy(run)).toContain('MutexRule poolkeeper/move cannot be read: HTTP 503');
    expect(run.isPaused()).toBe(true);
  });

  it.each<[string, keyof typeof failures]>([
    ['the change', 'an error of the server'],
    ['move before worker-0', 'no permission'],
    ['worker-0 goes', 'an API that is not served'],
    ['worker-0 is back', 'an error of the server'],
  ])(
    '[S4-33] [S4-20] from %s on, with %s: the pool stays held, nothing further begins, people are told, and later it goes on',
    async (from, failure) => {
      const run = await aLiveRun();
      let fails = from === 'the change';
      intercept(run, () => (fails ? failures[failure] : undefined));
      await run.change();
      await run.until(() => fails || run.seen.includes(from));
      fails = true;
      const stood = run.seen.length;
      await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
      for (let ticks = 0; ticks < 10; ticks += 1) await run.tick();

      expect(blockedBy(run)).toContain('MutexRule poolkeeper/move ');
      expect(run.isPaused()).toBe(true);
      expect(run.seen.slice(stood).filter((each) => each !== 'worker-0 is back')).toEqual([]);
      fails = false;
      await run.until(() => !run.isPaused());
      expect(run.seen).toEqual(turnsOf(workers));
    },
  );

  it.each(Object.entries(failures))(
    '[S4-33] [S4-20] that cannot be read for half an hour from the beginning, with %s, loses no record: later the run goes on by itself',
    async (_, failure) => {
      const run = await aLiveRun();
      let fails = true;
      intercept(run, () => (fails ? failure : undefined));
      await run.change();
      const end = run.clock.now().getTime() + 30 * 60_000;
      await run.until(() => run.clock.now().getTime() >= end);
      fails = false;
      await run.until(() => !run.isPaused());

      expect(run.seen).toEqual(turnsOf(workers));
      expect((await run.record()).lost).toBeUndefined();
    },
  );

  it.each<[string, object]>([
    ['in the cluster', live],
    ['in the configuration', {}],
  ])(
    '[S4-33] [S4-21] whose Jobs stand %s is kept for its clean-up without a key that a former version refuses',
    async (_, move) => {
      const run = await aLiveRun({}, { rules: { move: { ...move } } });
      await run.change();
      await run.until(() => run.seen.includes('worker-0 goes'));

      const { plan } = await run.record();

      expect(JSON.stringify(plan)).toContain('"cleanUpJobSpec":{');
      expect(JSON.stringify(plan)).not.toContain('fromCluster');
    },
  );

  it('[S4-33] [S4-26] whose Jobs leave no room for those of another in the record of the run is refused with it', async () => {
    const long = ofCommand(...Array.from({ length: 10 }, (_, index) => `${index}`.repeat(14_000)));
    const run = await aLiveRun({ jobSpec: long, cleanUpJobSpec: long }, { rules: { move: live, other: live } });
    const other = (spec: object) => aMutexRule('other', { type: 'kubernetes', ...spec });
    await run.connection.client.post(rules, {}, other({ jobSpec: long }));
    await run.change();
    await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
    const told = blockedBy(run);
    await run.connection.client.remove(`${rules}/other`, {}, {});
    await run.connection.client.post(rules, {}, other({ jobSpec }));
    await run.until(() => !run.isPaused());

    expect(told).toMatch(
      /MutexRule poolkeeper\/move and poolkeeper\/other: .* together longer than 400000 bytes of JSON/,
    );
    expect(run.seen.filter((each) => each === 'other before worker-0')).toHaveLength(1);
    expect(run.updated()).toEqual(workers);
  });

  it('[S4-33] [S4-21] [N-22] that was deleted is not taken out: nothing goes on, and an abort ends with the clean-ups that were known', async () => {
    const run = await aLiveRun();
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));
    await run.connection.client.remove(`${rules}/move`, {}, {});
    await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
    await run.until(() => run.seen.includes('worker-0 is back'));
    const held = [run.isPaused(), run.seen.length];

    await run.ask({ kind: 'abort', said: run.said('it will not come back') });
    await run.until(() => !run.isPaused());

    expect(held).toEqual([true, 3]);
    expect(run.seen.slice(0, 4)).toEqual(turnsOf(['worker-0']));
    expect((await run.record()).endedAt).toBeDefined();
  });

  it.each<[string, object, RegExp]>([
    ['no template', { jobSpec: {} }, /MutexRule poolkeeper\/move: spec\.jobSpec\.template/],
    [
      'a host path',
      { jobSpec: { template: { spec: { ...jobSpec.template.spec, hostNetwork: true } } } },
      /spec\.jobSpec\.template\.spec\.hostNetwork/,
    ],
    [
      'another account',
      { cleanUpJobSpec: { template: { spec: { ...jobSpec.template.spec, serviceAccountName: 'mover' } } } },
      /spec\.cleanUpJobSpec\.template\.spec\.serviceAccountName/,
    ],
    [
      'another namespace',
      { jobNamespace: 'databases' },
      /spec\.jobNamespace must be poolkeeper, as the configuration has it/,
    ],
    ['a text that is not read whole', { jobSpec: ofCommand('true; '.repeat(3_000)) }, cutSpec],
    [
      'a long text that is not read whole for what looks like a secret',
      { cleanUpJobSpec: ofCommand(`password=abcdef\n${'true\n'.repeat(4_000)}`) },
      cutSpec,
    ],
    ['more levels than are read', { jobSpec: { template: { ...jobSpec.template, deep: nested(70) } } }, cutSpec],
    ['another type', { type: 'shell' }, /spec\.type must be one of/],
    ['Jobs that are no mapping', { jobSpec: 'move' }, /spec\.jobSpec must be the spec of a Job/],
    [
      'no Job at all',
      { jobSpec: undefined, cleanUpJobSpec: undefined },
      /spec\.jobSpec a rule has jobSpec, cleanUpJobSpec, or both/,
    ],
  ])(
    '[S4-33] [S4-26] [S4-2] with %s is told by name and field, whatever the configuration allows to its own rules',
    async (_, spec, why) => {
      const run = await aLiveRun(spec);
      run.configure((turns) => ({
        ...turns,
        jobs: { serviceAccounts: ['poolkeeper/mover'], namespaces: undefined, hostAccess: ['hostNetwork'] },
      }));

      await run.change();
      await run.until(() => run.lab.troubles().includes('run-blocked'), 20);

      expect(blockedBy(run)).toMatch(why);
      expect([run.isPaused(), run.seen]).toEqual([true, []]);
    },
  );
});
