import { describe, expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import type { NodeUpdated } from '../../../events/published.ts';
import { stepNames } from '../../../functions/core/openshift/node-rollout.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { machineConfigs, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { machineConfigManifest } from '../../../local/openshift/machine-config/machine-config-manifest.ts';
import { annotationOf } from '../../../local/openshift/machine-config/node-annotations.ts';
import { Crashed } from '../../fakes/index.ts';
import { quietWorkers, type VirtualCluster } from '../../local/openshift/virtual-cluster.ts';
import { fc, runs } from '../../property.ts';
import { type StoryLab, storyLab } from './node-rollout-lab.ts';

/** What may happen to a cluster and to those who look at it. Times are seconds. */
type Step =
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'change' | 'pause' | 'resume' | 'look' | 'join' }
  | { readonly kind: 'move'; readonly node: number }
  /** A pass that dies at one of its effects. */
  | { readonly kind: 'dying look'; readonly effect: number; readonly when: 'before' | 'after' }
  /** A pass that another one, so much later, overtakes at this point. */
  | { readonly kind: 'overtaken look'; readonly at: 'load' | 'save' | 'publish'; readonly seconds: number };

interface Played {
  readonly told: readonly NodeUpdated[];
  /** Configs of each node: every one that it had, and those that undisturbed passes could have seen. */
  readonly had: ReadonlyMap<string, readonly string[]>;
  readonly seen: ReadonlyMap<string, readonly string[]>;
}

const seconds = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 400 }));
const wait = fc.record({ kind: fc.constant('wait' as const), seconds });
const plain = fc.constantFrom<Step>(
  { kind: 'change' },
  { kind: 'pause' },
  { kind: 'resume' },
  { kind: 'look' },
  { kind: 'look' },
  { kind: 'look' },
);
const move = fc.record({ kind: fc.constant('move' as const), node: fc.integer({ min: 0, max: 2 }) });
const dying = fc.record({
  kind: fc.constant('dying look' as const),
  effect: fc.integer({ min: 0, max: 7 }),
  when: fc.constantFrom('before' as const, 'after' as const),
});
const overtaken = fc.record({
  kind: fc.constant('overtaken look' as const),
  at: fc.constantFrom('load' as const, 'save' as const, 'publish' as const),
  seconds: fc.integer({ min: 1, max: 90 }),
});

describe('the changes of nodes between looks at random times', () => {
  test('[S3-5] [N-20] each is told once, in order, and its course has every step in order', async () => {
    const steps = fc.array(fc.oneof(wait, plain, fc.constant<Step>({ kind: 'join' }), move), {
      minLength: 8,
      maxLength: 24,
    });

    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        const { told, seen } = await play(some);

        for (const [node, configs] of seen) expect(chainOf(told, node), node).toEqual(changesOf(configs));
        for (const event of told) expectOrder(event);
      }),
      { numRuns: runs(20) },
    );
  }, 120_000);

  test('[S3-5] [N-2] also where passes die between two effects, or overtake each other', async () => {
    const steps = fc.array(fc.oneof(wait, plain, dying, overtaken), { minLength: 8, maxLength: 24 });

    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        const { told, had, seen } = await play(some);

        for (const [node, configs] of seen) {
          expectChain(chainOf(told, node), configs, had.get(node) ?? []);
        }
        for (const event of told) expectOrder(event);
      }),
      { numRuns: runs(20) },
    );
  }, 120_000);
});

async function play(steps: readonly Step[]): Promise<Played> {
  const cluster = await quietWorkers(3, 1);
  cluster.builder.addPool({ name: 'infra' });
  await cluster.clock.advance(60_000);
  const lab = await storyLab(cluster);
  const seen = new Map<string, string[]>();
  const had = new Map<string, string[]>();
  const note = (all: Map<string, string[]>) => {
    for (const node of cluster.registry.list(nodes))
      noted(all, node.metadata.name, annotationOf(node, 'currentConfig'));
  };
  note(had);
  cluster.registry.subscribe(({ type }) => type === nodes && note(had));
  const look = async () => {
    await lab.tick();
    note(seen);
  };
  try {
    await look();
    for (const step of steps) await take(step, { cluster, lab, look });
    cluster.pause(false);
    for (let minute = 0; minute < 12; minute += 1) {
      await cluster.clock.advance(60_000);
      await look();
    }
    return { told: toldBy(lab), had, seen };
  } finally {
    await lab.close();
  }
}

interface Playing {
  readonly cluster: VirtualCluster;
  readonly lab: StoryLab;
  readonly look: () => Promise<void>;
}

async function take(step: Step, playing: Playing): Promise<void> {
  const { cluster, lab, look } = playing;
  switch (step.kind) {
    case 'wait':
      await cluster.clock.advance(step.seconds * 1000);
      return;
    case 'change':
      return change(cluster);
    case 'pause':
    case 'resume':
      cluster.pause(step.kind === 'pause');
      return;
    case 'look':
      return look();
    case 'join':
      cluster.builder.addNodes({ pool: 'worker', names: [`worker-${cluster.registry.list(nodes).length}`] });
      // Within the second of its creation nobody can tell whether a look came before or after it.
      await cluster.clock.advance(1000);
      return;
    case 'move':
      return moveToInfra(cluster, `worker-${step.node}`);
    case 'dying look':
      return dyingLook(step, lab);
    case 'overtaken look':
      return overtakenLook(step, playing);
    default:
      return step satisfies never;
  }
}

let changes = 0;

function change(cluster: VirtualCluster): void {
  changes += 1;
  const files = { '/etc/chrony.conf': `change ${changes}` };
  const { spec } = machineConfigManifest('99-chrony', 'worker', files);
  const key = { name: '99-chrony', namespace: '' };
  if (cluster.registry.get(machineConfigs, key.name) === undefined)
    cluster.builder.applyMachineConfig(key.name, 'worker', files);
  else cluster.registry.modify(machineConfigs, key, (draft) => Object.assign(draft, { spec }), { manager: 'kubectl' });
}

function moveToInfra(cluster: VirtualCluster, node: string): void {
  cluster.builder.labelNode(node, { 'node-role.kubernetes.io/infra': '' });
}

async function dyingLook(
  { effect, when }: Extract<Step, { kind: 'dying look' }>,
  { tick, world: { faults } }: StoryLab,
): Promise<void> {
  faults.forget();
  faults.crashAtEffect(effect, when);
  await tick().catch((cause: unknown) => {
    if (!(cause instanceof Crashed)) throw cause;
  });
  faults.restart();
  faults.forget();
}

/** The slower pass stands still at this point until the faster one has ended. */
async function overtakenLook(
  { at, seconds: later }: Extract<Step, { kind: 'overtaken look' }>,
  { cluster, lab, look }: Playing,
): Promise<void> {
  let isFirst = true;
  const overtake = async () => {
    if (!isFirst) return;
    isFirst = false;
    await cluster.clock.advance(later * 1000);
    await look();
  };
  const { nodeRollouts, bus } = lab.ports;
  const slow = {
    nodeRollouts: {
      ...nodeRollouts,
      load: async (name: string) => {
        const loaded = await nodeRollouts.load(name);
        if (at === 'load') await overtake();
        return loaded;
      },
      save: async (rollouts: Parameters<typeof nodeRollouts.save>[0]) => {
        if (at === 'save') await overtake();
        return nodeRollouts.save(rollouts);
      },
    },
    bus: {
      publish: async (events: Parameters<typeof bus.publish>[0]) => {
        if (at === 'publish') await overtake();
        return bus.publish(events);
      },
    },
  };
  await keep(makeTick({ cluster: 'prod', why: 'clock' }, cluster.clock.now()), { ...lab.ports, ...slow });
}

function noted(all: Map<string, string[]>, node: string, config: string | undefined): void {
  const configs = all.get(node) ?? [];
  if (config !== undefined && config !== '' && configs.at(-1) !== config) all.set(node, [...configs, config]);
}

/** What was published, each event once however often it was sent: subscribers know a repeated one by its id. */
function toldBy({ world }: StoryLab): readonly NodeUpdated[] {
  const updated = world.bus.published.filter((event) => event.type === 'poolkeeper.node.updated.v1');
  return [...new Map(updated.map((event) => [event.id, event])).values()];
}

function chainOf(told: readonly NodeUpdated[], node: string): readonly (readonly [string, string])[] {
  return told.filter(({ data }) => data.node === node).map(({ data }) => [data.from, data.to]);
}

function changesOf(configs: readonly string[]): readonly (readonly [string, string])[] {
  return configs.slice(1).map((to, index) => [configs[index] ?? '', to]);
}

/** Each change begins where the one before ended, all that undisturbed passes saw is among them, and each is real. */
function expectChain(chain: readonly (readonly [string, string])[], seen: readonly string[], had: readonly string[]) {
  const [first = '', ...others] = seen;
  expect(chain.map(([from]) => from)).toEqual([first, ...chain.map(([, to]) => to)].slice(0, chain.length));
  const configs = [first, ...chain.map(([, to]) => to)];
  expect(isSubsequence([first, ...others], configs)).toBe(true);
  expect(isSubsequence(configs, had)).toBe(true);
}

function isSubsequence(some: readonly string[], all: readonly string[]): boolean {
  let next = 0;
  for (const each of all) if (each === some[next]) next += 1;
  return next === some.length;
}

/** Every time of an event is at or after the one before, in its data and in its words. */
function expectOrder({ data }: NodeUpdated): void {
  const names = data.steps.map(({ name }) => name);
  expect(names).toEqual(stepNames.filter((name) => names.includes(name)));
  const told = data.steps.flatMap(({ begunAt, endedAt }) => [begunAt, endedAt]).filter((at) => at !== undefined);
  const moments = [data.begunAt, ...told, data.endedAt].map((at) => Date.parse(at));
  expect(moments, data.course).toEqual(moments.toSorted((a, b) => a - b));
  const words = data.course.match(/\d\d:\d\d:\d\d/g) ?? [];
  expect(words, data.course).toEqual(data.unseen === undefined ? words.toSorted() : words);
  if (data.rebooted === true) expect(names, data.course).toContain('reboot');
  if (data.unseen === undefined && names.includes('drain'))
    expect(names).toEqual(expect.arrayContaining(['stage', 'uncordon']));
  expect(data.course).not.toMatch(/to by|since by|an unknown time/);
}
