import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Node } from '../../functions/core/openshift/node.ts';
import { condition, type Pool } from '../../functions/core/openshift/pool.ts';
import type { PoolRecord } from '../../functions/core/openshift/pool-record.ts';
import type { LabelSelector } from '../../functions/core/openshift/selector.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import type { Pools } from '../../functions/ports/cluster.ts';
import { aCondition, aHold, aRecord } from '../fakes/index.ts';

/** What a test creates: the parts of a pool that its maker writes. */
export interface PoolDraft {
  readonly name: string;
  readonly paused?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly machineConfigSelector?: LabelSelector;
  readonly nodeSelector?: LabelSelector;
  readonly maxUnavailable?: number | string;
}

/** What another writer changes; `paused: null` removes the field. */
export interface PoolEdit {
  readonly paused?: boolean | null;
  readonly maxUnavailable?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A cluster as far as the contract plays with it behind the port's back. No MCO acts on it. */
export interface PoolsLab {
  readonly pools: Pools;
  /** A name that no other test and no earlier run uses. */
  nameOf(base: string): string;
  createPool(draft: PoolDraft): Promise<void>;
  editPool(name: string, manager: string, edit: PoolEdit): Promise<void>;
  /** The MCO reports; a write to the status subresource. */
  reportPool(
    name: string,
    report: Pick<Pool, 'observedGeneration' | 'counts' | 'conditions' | 'current'>,
  ): Promise<void>;
  deletePool(name: string): Promise<void>;
  createNode(
    node: Pick<Node, 'name' | 'labels' | 'currentConfig' | 'desiredConfig' | 'state' | 'reason'>,
  ): Promise<void>;
  /** The MCO's controller sets `desiredConfig`. */
  targetNode(name: string, config: string): Promise<void>;
  createMachineConfig(name: string, labels: Readonly<Record<string, string>>): Promise<void>;
  /** Messages of the Kubernetes events on a pool. */
  eventsOf(pool: Pick<Pool, 'name' | 'uid'>): Promise<readonly string[]>;
  close(): Promise<void>;
}

const holdsAnnotation = 'poolkeeper.dev/holds';

/** What every implementation of the port Pools keeps, whatever is behind it. */
export function poolsContract(name: string, makeLab: () => Promise<PoolsLab>): void {
  describe(`pools: ${name}`, () => {
    let lab: PoolsLab;

    beforeAll(async () => {
      lab = await makeLab();
    });

    afterAll(() => lab.close());

    /** A pool of its own for a test, as it was read. */
    async function created(base: string, draft: Omit<PoolDraft, 'name'> = {}): Promise<Pool> {
      const poolName = lab.nameOf(base);
      await lab.createPool({ name: poolName, ...draft });
      return read(poolName);
    }

    async function read(poolName: string): Promise<Pool> {
      const pool = await lab.pools.readPool(poolName);
      if (pool === undefined) throw new Error(`pool ${poolName} is missing`);
      return pool;
    }

    test('reads a pool as it was created', async () => {
      const pool = await created('plain', {
        labels: { team: 'platform' },
        annotations: { 'poolkeeper.dev/wave': '2', 'example.com/other': 'x' },
        machineConfigSelector: { matchExpressions: [{ key: 'role', operator: 'In', values: ['worker', 'infra'] }] },
        nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
        maxUnavailable: '20%',
      });

      expect(pool).toMatchObject({
        labels: { team: 'platform' },
        annotations: { 'poolkeeper.dev/wave': '2' },
        paused: false,
        record: { kind: 'none' },
        machineConfigSelector: { matchExpressions: [{ key: 'role', operator: 'In', values: ['worker', 'infra'] }] },
        nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
        maxUnavailable: '20%',
      });
      expect(Object.keys(pool.annotations)).toEqual(['poolkeeper.dev/wave']);
      expect(pool.uid).not.toBe('');
      expect(pool.generation).toBeGreaterThan(0);
    });

    test('says a number in maxUnavailable as text, and nothing where nothing was said', async () => {
      const counted = await created('counted', { maxUnavailable: 3 });
      const silent = await created('silent');

      expect(counted.maxUnavailable).toBe('3');
      expect(silent.maxUnavailable).toBeUndefined();
    });

    test('lists the pools that there are, by name', async () => {
      const one = await created('list-a');
      const two = await created('list-b', { paused: true });

      const { items: listed } = await lab.pools.listPools();

      const mine = listed.filter(({ name: each }) => [one.name, two.name].includes(each));
      expect(mine).toEqual([one, two]);
    });

    test('answers nothing for a pool that does not exist', async () => {
      expect(await lab.pools.readPool(lab.nameOf('nobody'))).toBeUndefined();
    });

    test('[N-3] pauses and records in one write, and answers what was stored', async () => {
      const pool = await created('pause');
      const record = aRecord();

      const stored = await lab.pools.patchPool(pool, { paused: true, record });

      expect(stored).toMatchObject({
        name: pool.name,
        uid: pool.uid,
        paused: true,
        record: { kind: 'record', record },
        generation: pool.generation + 1,
        pausedBy: { manager: 'poolkeeper' },
      });
      expect(stored.resourceVersion).not.toBe(pool.resourceVersion);
      expect(await read(pool.name)).toEqual(stored);
    });

    test('resumes and keeps the record in one write', async () => {
      const pool = await created('resume');
      const paused = await lab.pools.patchPool(pool, { paused: true, record: aRecord() });
      const record: PoolRecord = {
        v: 1,
        holds: [],
        last: { did: 'resumed', at: '2026-03-02T10:00:00.000Z', why: 'x' },
      };

      const resumed = await lab.pools.patchPool(paused, { paused: false, record });

      expect(resumed).toMatchObject({ paused: false, record: { kind: 'record', record } });
      expect(resumed.generation).toBe(paused.generation + 1);
    });

    test('takes the record away where none is left', async () => {
      const pool = await created('forget');
      const held = await lab.pools.patchPool(pool, { record: aRecord() });

      const freed = await lab.pools.patchPool(held, { record: null });

      expect(freed.record).toEqual({ kind: 'none' });
    });

    test('leaves the record as it is when only the pause changes', async () => {
      const pool = await created('only-pause');
      const held = await lab.pools.patchPool(pool, { record: aRecord() });

      const paused = await lab.pools.patchPool(held, { paused: true });

      expect(paused.record).toEqual(held.record);
      expect(paused.paused).toBe(true);
    });

    test('a record alone moves the resourceVersion and not the generation', async () => {
      const pool = await created('record-only');

      const held = await lab.pools.patchPool(pool, { record: aRecord() });

      expect(held.generation).toBe(pool.generation);
      expect(held.resourceVersion).not.toBe(pool.resourceVersion);
      expect(held.paused).toBe(false);
    });

    test('keeps annotations that are not its own', async () => {
      const pool = await created('notes', { annotations: { 'poolkeeper.dev/protection': 'observe' } });

      const held = await lab.pools.patchPool(pool, { paused: true, record: aRecord() });

      expect(held.annotations).toEqual({ 'poolkeeper.dev/protection': 'observe' });
    });

    test('carries a record of any text', async () => {
      const pool = await created('texts');
      const record = aRecord({ holds: [aHold({ why: 'Grüße "quoted" \\ \u0000 </script> 🚦' })] });

      const held = await lab.pools.patchPool(pool, { record });

      expect(held.record).toEqual({ kind: 'record', record });
    });

    test('loses to a faster writer, changes nothing, and says conflict', async () => {
      const pool = await created('conflict');
      await lab.editPool(pool.name, 'kubectl-edit', { maxUnavailable: 2 });

      const attempt = lab.pools.patchPool(pool, { paused: true, record: aRecord() });

      await expect(attempt).rejects.toMatchObject({ name: 'Transient', kind: 'conflict' });
      expect(await read(pool.name)).toMatchObject({ paused: false, record: { kind: 'none' }, maxUnavailable: '2' });
    });

    test('lets one of many writers at once win', async () => {
      const pool = await created('crowd');

      const attempts = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) =>
          lab.pools.patchPool(pool, { paused: true, record: aRecord({ holds: [aHold({ who: `writer ${index}` })] }) }),
        ),
      );

      const lost = attempts.filter((each) => each.status === 'rejected').map((each) => each.reason);
      expect(lost).toHaveLength(7);
      for (const reason of lost) expect(reason).toMatchObject({ name: 'Transient', kind: 'conflict' });
    });

    test('a pool that vanished before the write is a lost race', async () => {
      const pool = await created('vanished');
      await lab.deletePool(pool.name);

      const attempt = lab.pools.patchPool(pool, { paused: true });

      await expect(attempt).rejects.toMatchObject({ name: 'Transient', kind: 'conflict' });
    });

    test('a pool that was made anew under the same name is a lost race', async () => {
      const pool = await created('anew');
      await lab.deletePool(pool.name);
      await lab.createPool({ name: pool.name });

      const attempt = lab.pools.patchPool(pool, { paused: true });

      await expect(attempt).rejects.toMatchObject({ name: 'Transient', kind: 'conflict' });
      expect((await read(pool.name)).uid).not.toBe(pool.uid);
    });

    test('[S0-14] names the writer of a pause that is not ours, also after our record was added', async () => {
      const pool = await created('foreign');
      await lab.editPool(pool.name, 'kubectl-patch', { paused: true });
      const found = await read(pool.name);

      const marked = await lab.pools.patchPool(found, { record: aRecord({ pause: 'foreign' }) });

      expect(found).toMatchObject({ paused: true, pausedBy: { manager: 'kubectl-patch' } });
      expect(marked).toMatchObject({ paused: true, pausedBy: { manager: 'kubectl-patch' } });
      expect(Date.parse(found.pausedBy?.at ?? '')).not.toBeNaN();
    });

    test('[S0-15] names the person who resumed a pool that we had paused; the record stays', async () => {
      const pool = await created('override');
      const paused = await lab.pools.patchPool(pool, { paused: true, record: aRecord() });

      await lab.editPool(pool.name, 'oc', { paused: false });

      const after = await read(pool.name);
      expect(after).toMatchObject({ paused: false, pausedBy: { manager: 'oc' }, record: paused.record });
    });

    test('a field that was taken away is not paused', async () => {
      const pool = await created('removed', { paused: true });

      await lab.editPool(pool.name, 'oc', { paused: null });

      expect((await read(pool.name)).paused).toBe(false);
    });

    test('reads what the MCO reports without taking it for a writer of the pause', async () => {
      const pool = await created('status');
      const paused = await lab.pools.patchPool(pool, { paused: true, record: aRecord() });
      const counts = { machines: 5, updated: 3, ready: 2, unavailable: 1, degraded: 1 };

      await lab.reportPool(pool.name, {
        observedGeneration: paused.generation,
        counts,
        current: { name: 'rendered-infra-1', sources: ['00-worker', '50-infra'] },
        conditions: [
          aCondition({ type: 'Updating', status: 'True' }),
          aCondition({
            type: 'Updating',
            message: `Pool is paused; will not update to MachineConfig rendered-infra-2`,
          }),
          aCondition({ type: 'NodeDegraded', status: 'True', reason: '1 nodes are reporting degraded status on sync' }),
        ],
      });

      const after = await read(pool.name);
      expect(after).toMatchObject({
        observedGeneration: paused.generation,
        generation: paused.generation,
        counts,
        current: { name: 'rendered-infra-1', sources: ['00-worker', '50-infra'] },
        pausedBy: { manager: 'poolkeeper' },
      });
      expect(condition(after, 'Updating')).toMatchObject({ status: 'False', since: '2026-03-01T00:00:00Z' });
      expect(condition(after, 'NodeDegraded')?.reason).toBe('1 nodes are reporting degraded status on sync');
    });

    test('a record that it cannot read is said, not lost', async () => {
      const pool = await created('unreadable');

      await lab.editPool(pool.name, 'somebody', { annotations: { [holdsAnnotation]: '{"v":7}' } });

      expect((await read(pool.name)).record).toMatchObject({ kind: 'unreadable' });
    });

    test('finds the nodes that a selector matches, with what the MCO says of them', async () => {
      const [role, zone] = [lab.nameOf('role'), lab.nameOf('zone')];
      const base = { currentConfig: 'rendered-a', desiredConfig: 'rendered-a', state: 'Done', reason: '' };
      const [first, second, third] = [lab.nameOf('node-1'), lab.nameOf('node-2'), lab.nameOf('node-3')];
      await lab.createNode({ ...base, name: first, labels: { [role]: '', [zone]: 'a' } });
      await lab.createNode({
        ...base,
        name: second,
        labels: { [role]: '', [zone]: 'b' },
        state: 'Degraded',
        reason: 'x',
      });
      await lab.createNode({ ...base, name: third, labels: { [zone]: 'a' } });

      const { items: byLabel } = await lab.pools.listNodes({ matchLabels: { [role]: '' } });
      const { items: byBoth } = await lab.pools.listNodes({
        matchLabels: { [role]: '' },
        matchExpressions: [{ key: zone, operator: 'NotIn', values: ['a', 'c'] }],
      });

      expect(byLabel.map((node) => node.name)).toEqual([first, second]);
      expect(byBoth).toHaveLength(1);
      expect(byBoth[0]).toMatchObject({ ...base, name: second, state: 'Degraded', reason: 'x', desiredDrain: '' });
      expect(byBoth[0]?.labels).toMatchObject({ [zone]: 'b' });
    });

    test('[N-28] knows when the MCO targeted a node', async () => {
      const role = lab.nameOf('targeted');
      const node = { name: lab.nameOf('node-t'), labels: { [role]: '' }, state: 'Done', reason: '' };
      await lab.createNode({ ...node, currentConfig: 'rendered-a', desiredConfig: 'rendered-a' });

      await lab.targetNode(node.name, 'rendered-b');

      const {
        items: [found],
      } = await lab.pools.listNodes({ matchLabels: { [role]: '' } });
      expect(found).toMatchObject({ currentConfig: 'rendered-a', desiredConfig: 'rendered-b' });
      expect(Date.parse(found?.targetedAt ?? '')).not.toBeNaN();
    });

    test.each([1, 3, 12])('reads the heads of MachineConfigs by name, %i at once', async (count) => {
      const names = Array.from({ length: count }, (_, index) =>
        lab.nameOf(`mc-${count}-${String(index).padStart(2, '0')}`),
      );
      for (const each of names) await lab.createMachineConfig(each, { role: 'worker' });

      const { items: heads, unreadable } = await lab.pools.readMachineConfigs([...names, lab.nameOf('mc-missing')]);

      expect(heads.map((head) => head.name)).toEqual(names);
      expect(unreadable).toEqual([]);
      expect(heads.every((head) => head.labels['role'] === 'worker')).toBe(true);
      expect(heads.every((head) => !Number.isNaN(Date.parse(head.changedAt ?? '')))).toBe(true);
    });

    test('reads no MachineConfig where none is asked for', async () => {
      expect(await lab.pools.readMachineConfigs([])).toEqual({ items: [], unreadable: [] });
    });

    test('[S0-20] shows an event on the pool, once however often it is told', async () => {
      const pool = await created('announce');
      const at = new Date('2026-03-02T10:00:00.400Z');
      const event = { reason: 'Paused', message: 'paused for openshift-gitops/nodes', type: 'Normal', at } as const;

      await lab.pools.recordEvent(pool, event);
      await lab.pools.recordEvent(pool, event);
      await lab.pools.recordEvent(pool, { ...event, reason: 'Resumed', message: 'resumed' });

      const messages = await lab.eventsOf(pool);
      expect([...messages].sort()).toEqual(['paused for openshift-gitops/nodes', 'resumed']);
    });

    test('throws nothing but Transient', async () => {
      const attempt = lab.pools.patchPool({ name: lab.nameOf('ghost'), resourceVersion: '1' }, { paused: true });

      await expect(attempt).rejects.toBeInstanceOf(Transient);
    });
  });
}
