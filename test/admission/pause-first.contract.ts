import { beforeAll, describe, expect, test } from 'vitest';
import type { Draft } from '../cluster/harness/kube.ts';
import { machineConfig, pool } from '../cluster/harness/objects.ts';
import { refusedIn } from '../cluster/refused-in.ts';
import type { Answer } from './policed-store.ts';

/** Somebody who writes. */
export interface Account {
  readonly user: string;
  /** Has the right `break-glass`, besides those to create, change and delete. */
  readonly mayBreakGlass?: boolean;
}

export interface Writer {
  create(object: Draft, options?: { readonly dryRun?: boolean }): Promise<Answer>;
  /** A merge patch. */
  patch(object: Draft, change: unknown, options?: { readonly dryRun?: boolean }): Promise<Answer>;
  delete(object: Draft): Promise<Answer>;
}

/** An API server with the policy of level admission for {@link poolsOfLab}. */
export interface AdmissionLab {
  as(account: Account): Writer;
  /** Creates it as the Machine Config Operator, whose account is exempt. */
  place(object: Draft): Promise<void>;
  isThere(object: Draft): Promise<boolean>;
  /** Returns when the policy sees it. */
  pauseAllBut(...names: readonly string[]): Promise<void>;
  now(): Date;
}

const required = { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
const mco = 'machineconfiguration.openshift.io';
const builtIn = { [`${mco}/mco-built-in`]: '' };
const roleLabel = `${mco}/role`;
export const poolLabel = 'pools.operator.machineconfiguration.openshift.io';
const mark = `${mco}/generated-by-controller-version`;
const breakGlass = 'poolkeeper.dev/break-glass';

/** The pools of the laboratory, and a required one that is never protected. */
export const poolsOfLab: readonly Draft[] = [
  pool({ name: 'master', roles: ['master'], labels: { ...required, ...builtIn } }),
  pool({ name: 'worker', roles: ['worker'], labels: { ...builtIn, size: 'large' } }),
  pool({ name: 'gpu', labels: { custom: 'gpu' } }),
  pool({ name: 'alone', roles: ['alone'] }),
  {
    ...pool({ name: 'odd' }),
    spec: {
      machineConfigSelector: {
        matchLabels: { site: 'north' },
        matchExpressions: [
          { key: 'tier', operator: 'Exists' },
          { key: 'old', operator: 'DoesNotExist' },
          { key: roleLabel, operator: 'NotIn', values: ['master'] },
        ],
      },
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/odd': '' } },
    },
  },
];
export const protectedPools = ['worker', 'gpu', 'alone', 'odd'] as const;

/** May write every kind of the policy, and nothing else. */
export const tenant: Account = { user: 'tenant' };
/** The same, with the right to break glass. */
export const rescuer: Account = { user: 'rescuer', mayBreakGlass: true };

function serviceAccount(namespace: string, name: string): Account {
  return { user: `system:serviceaccount:${namespace}:${name}` };
}

export const operators: readonly Account[] = [
  serviceAccount('openshift-machine-config-operator', 'machine-config-operator'),
  serviceAccount('openshift-machine-config-operator', 'machine-config-controller'),
  serviceAccount('openshift-machine-config-operator', 'machine-os-builder'),
  serviceAccount('openshift-cluster-node-tuning-operator', 'cluster-node-tuning-operator'),
  serviceAccount('openshift-config-operator', 'openshift-config-operator'),
  serviceAccount('openshift-cluster-version', 'default'),
  serviceAccount('openshift-network-operator', 'cluster-network-operator'),
  serviceAccount('openshift-sriov-network-operator', 'sriov-network-operator'),
];

/** They are not exempt, however alike their names are. */
export const lookalikes: readonly Account[] = [
  // It runs on the nodes of the control plane and may write every MachineConfig, but never does.
  serviceAccount('openshift-machine-config-operator', 'machine-config-server'),
  serviceAccount('openshift-machine-config-operator', 'machine-config-daemon'),
  serviceAccount('openshift-machine-config-operator', 'default'),
  serviceAccount('openshift-machine-config-operator-x', 'machine-config-operator'),
  serviceAccount('openshift-cluster-versions', 'default'),
  serviceAccount('tenant', 'machine-config-controller'),
  // They delete what an owner reference, a finalizer or a deleted namespace tells them to.
  serviceAccount('kube-system', 'generic-garbage-collector'),
  serviceAccount('kube-system', 'namespace-controller'),
  { user: 'machine-config-controller' },
  { user: 'system:node:worker-1' },
];

export function labelled(name: string, labels: Readonly<Record<string, string>>): Draft {
  return { ...machineConfig(name, 'worker'), metadata: { name, labels } };
}

function withMetadata(object: Draft, more: Partial<Draft['metadata']>): Draft {
  return { ...object, metadata: { ...object.metadata, ...more } };
}

function marked(object: Draft): Draft {
  return withMetadata(object, { annotations: { [mark]: 'v1' } });
}

export function kubeletConfig(
  name: string,
  machineConfigPoolSelector: unknown,
  more: Partial<Draft['metadata']> = {},
): Draft {
  return {
    apiVersion: `${mco}/v1`,
    kind: 'KubeletConfig',
    metadata: { name, ...more },
    spec: { machineConfigPoolSelector, kubeletConfig: { maxPods: 100 } },
  };
}

export function machineOSConfig(name: string, poolName: string): Draft {
  return {
    apiVersion: `${mco}/v1`,
    kind: 'MachineOSConfig',
    metadata: { name },
    spec: {
      machineConfigPool: { name: poolName },
      imageBuilder: { imageBuilderType: 'Job' },
      renderedImagePushSecret: { name: 'push' },
      renderedImagePushSpec: 'registry.example.com/os/image:latest',
    },
  };
}

/** What a MachineOSBuild says of its pool. */
interface BuildNames {
  readonly config?: string;
  readonly of?: string;
  readonly label?: string;
}

/** As the MCO makes one. Source: MCO pkg/controller/build/buildrequest `NewMachineOSBuild`. */
export function machineOSBuild(
  name: string,
  { config = rendered('alone'), of = 'alone', label = 'alone' }: BuildNames = {},
  more: Partial<Draft['metadata']> = {},
): Draft {
  return {
    apiVersion: `${mco}/v1`,
    kind: 'MachineOSBuild',
    metadata: {
      name,
      labels: { [`${mco}/machine-os-config`]: of, [`${mco}/target-machine-config-pool`]: label },
      ...more,
    },
    spec: {
      machineConfig: { name: config },
      machineOSConfig: { name: of },
      renderedImagePushSpec: `registry.example.com/os/image:${name}`,
    },
  };
}

function rendered(poolName: string): string {
  return `rendered-${poolName}-0123456789abcdef0123456789abcdef`;
}

const forAlone = { matchLabels: { [`${poolLabel}/alone`]: '' } };
const changed = { spec: { kernelArguments: ['quiet'] } };
const changedAgain = { spec: { kernelArguments: ['quiet', 'nosmt'] } };
const annotated = (annotations: Readonly<Record<string, string | null>>) => ({ metadata: { annotations } });
const ofRole = (role: string) => ({ metadata: { labels: { [roleLabel]: role } } });

/** For which pools' sake it was refused; empty: it was taken. Throws if it was refused for another reason. */
export function poolsIn(answer: Answer): readonly string[] {
  if (answer === undefined) return [];
  const found = refusedIn(answer);
  if (found.length === 0) throw new Error(answer);
  return found;
}

/** What the policy of level admission admits and refuses, to be kept by its expressions under an evaluator and on a
 *  real API server. */
export function pauseFirstContract(name: string, makeLab: () => Promise<AdmissionLab>): void {
  describe(`pause-first: ${name}`, () => {
    let lab: AdmissionLab;
    let ordinary: Writer;

    beforeAll(async () => {
      lab = await makeLab();
      ordinary = lab.as(tenant);
    });

    /** Every pool for whose sake it is refused, found by pausing all the others. */
    async function reached(object: Draft): Promise<readonly string[]> {
      const found: string[] = [];
      for (const each of protectedPools) {
        await lab.pauseAllBut(each);
        const pools = poolsIn(await ordinary.create(object));
        if (pools.includes(each)) found.push(each);
        else await ordinary.delete(object);
      }
      return found;
    }

    describe('which pools a change waits for, by the selectors that the pools have now', () => {
      test.each([
        [
          'a MachineConfig of a role, and a custom pool that takes from it',
          machineConfig('60-a', 'worker'),
          ['worker', 'gpu'],
        ],
        ['a MachineConfig of a custom pool alone', machineConfig('60-b', 'gpu'), ['gpu']],
        ['every matchExpression at once', labelled('60-c', { site: 'north', tier: '' }), ['odd']],
        ['a label that must not be there', labelled('60-d', { site: 'north', tier: '', old: '' }), []],
        ['labels that no pool selects', labelled('60-e', { [roleLabel]: 'nobody' }), []],
        ['no labels at all', labelled('60-f', {}), []],
        ['a pool that upgrades wait for, which nobody named', machineConfig('60-g', 'master'), []],
        [
          'a KubeletConfig for worker, and who takes from worker',
          kubeletConfig('60-h', { matchLabels: { [`${poolLabel}/worker`]: '' } }),
          ['worker', 'gpu'],
        ],
        [
          'a KubeletConfig for one custom pool by its own label',
          kubeletConfig('60-i', { matchExpressions: [{ key: `${poolLabel}/gpu`, operator: 'Exists' }] }),
          ['gpu'],
        ],
        ['a KubeletConfig for the built-in pools', kubeletConfig('60-j', { matchLabels: builtIn }), ['worker', 'gpu']],
        [
          'a KubeletConfig by a label that worker may have as well',
          kubeletConfig('60-k', { matchLabels: { size: 'large' } }),
          ['worker', 'gpu'],
        ],
        ['a KubeletConfig that chooses nothing', kubeletConfig('60-l', {}), []],
        ['a MachineOSBuild for one pool', machineOSBuild('60-m'), ['alone']],
        [
          'a MachineOSBuild for a pool that is not protected',
          machineOSBuild('60-n', { config: rendered('master'), of: 'master', label: 'master' }),
          [],
        ],
        [
          'a MachineOSBuild with the config of another pool than it says',
          machineOSBuild('60-o', { config: rendered('gpu') }),
          ['gpu', 'alone'],
        ],
        [
          'a MachineOSBuild that the MCO would count as one of another pool',
          machineOSBuild('60-p', { of: 'odd', label: 'gpu' }),
          ['gpu', 'alone', 'odd'],
        ],
        [
          'a MachineOSBuild that the MCO would take for one of another MachineOSConfig',
          machineOSBuild('60-r', {}, { labels: { [`${mco}/machine-os-config`]: 'gpu' } }),
          ['gpu', 'alone'],
        ],
        [
          'a MachineOSBuild of something that was rendered for no pool',
          machineOSBuild('60-q', { config: 'rendered-alone-1' }),
          protectedPools,
        ],
      ] as const)('[N-27] [S0-3] %s', async (_what, object, expected) => {
        expect(await reached(object)).toEqual(expected);
      });
    });

    describe('who writes counts, never what the object says of itself', () => {
      beforeAll(() => lab.pauseAllBut('alone'));

      test('[N-27] [C-11] a mark of the operator opens nothing: neither on a new object nor set first', async () => {
        const plain = machineConfig('61-plain', 'alone');
        await lab.place(plain);

        expect(poolsIn(await ordinary.create(marked(machineConfig('61-claims', 'alone'))))).toEqual(['alone']);
        expect(poolsIn(await ordinary.patch(plain, annotated({ [mark]: 'v1' })))).toEqual(['alone']);
      });

      test('[N-27] [C-11] what carries the mark is changed, relabelled, unmarked and deleted only like anything else', async () => {
        const generated = marked(machineConfig('61-generated', 'alone'));
        await lab.place(generated);
        const attempts = [changed, annotated({ [mark]: null }), annotated({ [mark]: 'v2' }), ofRole('nobody')];

        for (const attempt of attempts)
          expect(poolsIn(await ordinary.patch(generated, attempt)), JSON.stringify(attempt)).toEqual(['alone']);
        expect(poolsIn(await ordinary.delete(generated))).toEqual(['alone']);
      });

      test('[N-27] [C-11] a name that looks rendered opens nothing', async () => {
        const named = marked(machineConfig('rendered-alone-0123456789abcdef0123456789abcdef', 'alone'));

        expect(poolsIn(await ordinary.create(named))).toEqual(['alone']);
      });

      test.each(operators)('[N-27] $user writes on behalf of others and is exempt', async (account) => {
        const object = machineConfig(`62-${account.user.replaceAll(':', '-')}`, 'alone');

        expect(poolsIn(await lab.as(account).create(object))).toEqual([]);
        expect(poolsIn(await lab.as(account).patch(object, changed))).toEqual([]);
        expect(poolsIn(await lab.as(account).delete(object))).toEqual([]);
      });

      test.each(lookalikes)('[N-27] [C-11] $user is not exempt', async (account) => {
        const object = machineConfig(`63-${account.user.replaceAll(':', '-')}`, 'alone');
        await lab.place(object);

        expect(poolsIn(await lab.as(account).create(withMetadata(object, { name: '63-new' })))).toEqual(['alone']);
        expect(poolsIn(await lab.as(account).patch(object, changed))).toEqual(['alone']);
        expect(poolsIn(await lab.as(account).delete(object))).toEqual(['alone']);
      });
    });

    describe('what a change of it is', () => {
      beforeAll(() => lab.pauseAllBut('alone'));

      test('[N-27] metadata that nobody renders is free, a dry run too', async () => {
        const object = machineConfig('64-free', 'alone');
        await lab.place(object);
        const owner = { apiVersion: 'v1', kind: 'Node', name: 'worker-1', uid: '0f5c1f0e-5a4e-4c0d-9f5e-000000000001' };

        expect(await ordinary.patch(object, annotated({ note: 'free' }))).toBeUndefined();
        expect(await ordinary.patch(object, { metadata: { labels: { note: 'free' } } })).toBeUndefined();
        expect(await ordinary.patch(object, { metadata: { finalizers: ['example.com/stay'] } })).toBeUndefined();
        expect(await ordinary.patch(object, { metadata: { finalizers: null } })).toBeUndefined();
        expect(await ordinary.patch(object, changed, { dryRun: true })).toBeUndefined();
        expect(await ordinary.create(machineConfig('64-dry', 'alone'), { dryRun: true })).toBeUndefined();
        expect(await lab.isThere(machineConfig('64-dry', 'alone'))).toBe(false);
        expect(poolsIn(await ordinary.patch(object, { metadata: { ownerReferences: [owner] }, ...changed }))).toEqual([
          'alone',
        ]);
      });

      test('[N-27] [C-11] what waits for a finalizer disappears only while the pool is paused', async () => {
        const finalizers = ['example.com/first', 'example.com/last'];
        const object = withMetadata(machineConfig('64-waits', 'alone'), { finalizers });
        await lab.place(object);

        expect(poolsIn(await ordinary.delete(object))).toEqual(['alone']);
        await lab.pauseAllBut();
        expect(await ordinary.delete(object)).toBeUndefined();
        await lab.pauseAllBut('alone');
        expect(await lab.isThere(object)).toBe(true);
        expect(poolsIn(await ordinary.patch(object, { metadata: { finalizers: null } }))).toEqual(['alone']);
        expect(await ordinary.patch(object, { metadata: { finalizers: ['example.com/last'] } })).toBeUndefined();
        expect(poolsIn(await ordinary.patch(object, { metadata: { finalizers: [] } }))).toEqual(['alone']);
        await lab.pauseAllBut();
        expect(await ordinary.patch(object, { metadata: { finalizers: null } })).toBeUndefined();
        expect(await lab.isThere(object)).toBe(false);
        await lab.pauseAllBut('alone');
      });

      test('[N-27] a label moves it into a pool or out of one, alone or with a change', async () => {
        const inside = machineConfig('64-inside', 'alone');
        const outside = machineConfig('64-outside', 'nobody');
        await lab.place(inside);
        await lab.place(outside);

        expect(poolsIn(await ordinary.patch(inside, ofRole('nobody')))).toEqual(['alone']);
        expect(poolsIn(await ordinary.patch(inside, { ...ofRole('nobody'), ...changed }))).toEqual(['alone']);
        expect(poolsIn(await ordinary.patch(inside, { metadata: { labels: null } }))).toEqual(['alone']);
        expect(poolsIn(await ordinary.patch(outside, ofRole('alone')))).toEqual(['alone']);
      });

      test('[N-27] a label that only moves it in the order of the merge matters too', async () => {
        const object = machineConfig('64-order', 'worker');
        await lab.place(object);

        await lab.pauseAllBut('gpu');
        expect(poolsIn(await ordinary.patch(object, ofRole('gpu')))).toEqual(['gpu']);
        await lab.pauseAllBut('alone');
      });

      test('[N-27] annotations that the operator reads are part of the change, others are not', async () => {
        const kubelet = kubeletConfig('64-kubelet', forAlone);
        await lab.place(kubelet);

        expect(poolsIn(await ordinary.patch(kubelet, annotated({ [`${mco}/mc-name-suffix`]: '7' })))).toEqual([
          'alone',
        ]);
        expect(await ordinary.patch(kubelet, annotated({ note: 'free' }))).toBeUndefined();
      });

      test('[N-27] [C-11] nobody but the operator has it delete a MachineConfig by naming that in a finalizer', async () => {
        const forged = kubeletConfig('64-forged', {}, { finalizers: ['64-inside'] });
        const empty = kubeletConfig('64-empty', {}, { finalizers: ['example.com/stay'] });
        await lab.place(empty);

        expect(await ordinary.create(forged)).toContain('deletes the MachineConfigs that they name');
        expect(await ordinary.patch(empty, { metadata: { finalizers: ['64-inside', 'example.com/stay'] } })).toContain(
          'deletes the MachineConfigs that they name',
        );
        expect(await ordinary.patch(empty, annotated({ note: 'free' }))).toBeUndefined();
        expect(await ordinary.patch(empty, { metadata: { finalizers: null } })).toBeUndefined();
      });

      test('[N-27] [C-11] a KubeletConfig from which more was generated than it selects now is deleted only while all are paused', async () => {
        const moved = kubeletConfig('64-moved', {}, { finalizers: ['99-alone-generated-kubelet'] });
        const exact = kubeletConfig(
          '64-exact',
          { matchLabels: { [`${poolLabel}/gpu`]: '' } },
          { finalizers: ['99-gpu-generated-kubelet'] },
        );
        await lab.place(moved);
        await lab.place(exact);

        expect(poolsIn(await ordinary.delete(moved))).toEqual(['alone']);
        expect(poolsIn(await ordinary.delete(exact))).toEqual([]);
      });

      test('[N-27] [C-11] labels by which the MCO finds a build are part of it, others are not', async () => {
        const build = machineOSBuild('64-labelled');
        await lab.place(build);
        const relabel = (labels: Readonly<Record<string, string | null>> | null) =>
          ordinary.patch(build, { metadata: { labels } });

        expect(poolsIn(await relabel({ [`${mco}/machine-os-config`]: null }))).toEqual(['alone']);
        expect(poolsIn(await relabel({ [`${mco}/rendered-machine-config`]: rendered('alone') }))).toEqual(['alone']);
        expect(poolsIn(await relabel(null))).toEqual(['alone']);
        expect(await relabel({ note: 'free' })).toBeUndefined();
      });

      test('[N-27] a MachineOSConfig waits for the pool that it names', async () => {
        const [own, other] = [machineOSConfig('alone', 'alone'), machineOSConfig('gpu', 'gpu')];
        const elsewhere = { spec: { renderedImagePushSpec: 'registry.example.com/os/other:latest' } };
        const [operator = tenant] = operators;

        expect(poolsIn(await ordinary.create(own))).toEqual(['alone']);
        await lab.place(own);
        expect(poolsIn(await ordinary.patch(own, elsewhere))).toEqual(['alone']);
        expect(poolsIn(await ordinary.patch(own, annotated({ [`${mco}/rebuild`]: '' })))).toEqual(['alone']);
        expect(poolsIn(await ordinary.delete(own))).toEqual(['alone']);
        expect(await ordinary.create(other)).toBeUndefined();
        expect(await ordinary.delete(other)).toBeUndefined();
        expect(await lab.as(operator).delete(own)).toBeUndefined();
      });
    });

    describe('break-glass', () => {
      let rescue: Writer;
      const inHours = (hours: number) => new Date(lab.now().getTime() + hours * 3_600_000).toISOString().slice(0, 19);
      const until = (hours: number) => `until ${inHours(hours)}Z`;
      const withGlass = (words: string, change: object = changed) => ({
        ...annotated({ [breakGlass]: words }),
        ...change,
      });

      beforeAll(async () => {
        rescue = lab.as(rescuer);
        await lab.pauseAllBut('alone');
      });

      test('[N-27] covers the one change that it names, also if it stays', async () => {
        const object = machineConfig('65-once', 'alone');
        await lab.place(object);

        expect(
          await rescue.patch(object, withGlass(`update of 65-once at generation 1 ${until(2)}: CVE of tonight`)),
        ).toBeUndefined();
        expect(poolsIn(await rescue.patch(object, changedAgain))).toEqual(['alone']);
        expect(poolsIn(await rescue.delete(object))).toEqual(['alone']);
        expect(
          await rescue.patch(
            object,
            withGlass(`update of 65-once at generation 2 ${until(2)}: and another`, changedAgain),
          ),
        ).toBeUndefined();
      });

      test('[N-27] may be set before the change, and covers a creation or a deletion if it says so', async () => {
        const object = machineConfig('65-before', 'alone');
        const glass = (words: string) => withMetadata(object, { annotations: { [breakGlass]: words } });

        expect(poolsIn(await rescue.create(glass(`update of 65-before at generation 0 ${until(2)}: new`)))).toEqual([
          'alone',
        ]);
        expect(await rescue.create(glass(`creation of 65-before ${until(2)}: new`))).toBeUndefined();
        expect(
          await rescue.patch(object, annotated({ [breakGlass]: `update of 65-before at generation 1 ${until(2)}: x` })),
        ).toBeUndefined();
        expect(poolsIn(await rescue.delete(object))).toEqual(['alone']);
        expect(await rescue.patch(object, changed)).toBeUndefined();
        expect(
          await rescue.patch(
            object,
            annotated({ [breakGlass]: `deletion of 65-before at generation 2 ${until(2)}: x` }),
          ),
        ).toBeUndefined();
        expect(poolsIn(await rescue.patch(object, changedAgain))).toEqual(['alone']);
        expect(await rescue.delete(object)).toBeUndefined();
      });

      test.each<[string, (name: string) => string]>([
        ['no change is named', () => 'CVE of tonight'],
        ['another object', () => `update of 65-once at generation 1 ${until(2)}: CVE`],
        ['a longer name', (name) => `update of ${name}-x at generation 1 ${until(2)}: CVE`],
        ['every object', () => `update of * at generation 1 ${until(2)}: CVE`],
        ['another generation', (name) => `update of ${name} at generation 2 ${until(2)}: CVE`],
        ['a longer number', (name) => `update of ${name} at generation 11 ${until(2)}: CVE`],
        ['another act', (name) => `deletion of ${name} at generation 1 ${until(2)}: CVE`],
        ['a creation', (name) => `creation of ${name} ${until(2)}: CVE`],
        ['no reason', (name) => `update of ${name} at generation 1 ${until(2)}: `],
        ['no end', (name) => `update of ${name} at generation 1: CVE`],
        ['an end in another form', (name) => `update of ${name} at generation 1 until tomorrow: CVE`],
        ['an end that has passed', (name) => `update of ${name} at generation 1 ${until(-1)}: CVE`],
        ['an end that is too far away', (name) => `update of ${name} at generation 1 ${until(26)}: CVE`],
        [
          'several changes at once',
          (name) => `update of ${name} at generation 1, update of ${name} at generation 2 ${until(2)}: CVE`,
        ],
        ['capitals', (name) => `Update of ${name} at generation 1 ${until(2)}: CVE`],
      ])('[N-27] [C-11] opens nothing: %s', async (what, words) => {
        const name = `65-${what.replaceAll(' ', '-')}`;
        const object = machineConfig(name, 'alone');
        await lab.place(object);

        expect(poolsIn(await rescue.patch(object, withGlass(words(name))))).toEqual(['alone']);
      });

      test('[N-27] [C-11] an end that no calendar has opens nothing', async () => {
        const object = machineConfig('65-calendar', 'alone');
        await lab.place(object);

        const answer = await rescue.patch(
          object,
          withGlass('update of 65-calendar at generation 1 until 2026-13-45T99:99:99Z: CVE'),
        );

        expect(answer).toContain('resulted in error');
      });

      test('[N-27] [C-11] opens nothing for somebody without the right', async () => {
        const object = machineConfig('65-right', 'alone');
        await lab.place(object);

        const answer = await ordinary.patch(object, withGlass(`update of 65-right at generation 1 ${until(2)}: CVE`));

        expect(poolsIn(answer)).toEqual(['alone']);
        expect(answer).toContain('you lack the right break-glass');
      });

      test('[N-27] [C-11] opens nothing for a change that leaves the generation, because it would cover the next one too', async () => {
        const object = machineConfig('65-label', 'alone');
        await lab.place(object);
        const words = `update of 65-label at generation 1 ${until(2)}: CVE`;

        expect(
          poolsIn(
            await rescue.patch(object, {
              metadata: { annotations: { [breakGlass]: words }, ...ofRole('nobody').metadata },
            }),
          ),
        ).toEqual(['alone']);
        expect(poolsIn(await rescue.patch(object, annotated({ [breakGlass]: words, [mark]: 'v1' })))).toEqual([
          'alone',
        ]);
      });
    });

    test('[N-27] the refusal tells a person what to do, and the annotation for just this change', async () => {
      const object = machineConfig('66-words', 'alone');
      await lab.place(object);

      const answer = await ordinary.patch(object, changed);

      expect(answer).toContain('pool alone is not paused yet: MachineConfig 66-words');
      expect(answer).toContain('poolkeeper hold --pool alone');
      expect(answer).toContain(`${breakGlass}: update of 66-words at generation 1 until <UTC`);
    });
  });
}
