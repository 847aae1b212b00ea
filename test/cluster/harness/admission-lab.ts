import {
  type Account,
  type AdmissionLab,
  labelled,
  lookalikes,
  operators,
  poolsIn,
  poolsOfLab,
  protectedPools,
  rescuer,
  tenant,
} from '../../admission/pause-first.contract.ts';
import type { StartedControlPlane } from './control-plane.ts';
import type { Draft, Kube } from './kube.ts';
import { machineConfig } from './objects.ts';
import { collectionOf, paths } from './paths.ts';
import { refusalOf } from './refusal-of.ts';
import { until } from './until.ts';

/** The laboratory of the contract on a real API server, where more can be tried. */
export interface ClusterAdmission extends AdmissionLab {
  kubeAs(account: Account): Kube;
  /** Pauses exactly these, without waiting for the policy. */
  pause(...names: readonly string[]): Promise<void>;
  close(): void;
}

const writes = ['get', 'list', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const groups = ['machineconfiguration.openshift.io', 'config.openshift.io', 'operator.openshift.io'];

/** Needs the policy, of which it waits until it is in force. */
export async function openAdmission(plane: StartedControlPlane): Promise<ClusterAdmission> {
  const { kube } = plane;
  const opened: Kube[] = [];
  await grant(plane, 'write', { verbs: writes, accounts: [tenant, rescuer, ...operators, ...lookalikes] });
  await grant(plane, 'break-glass', { verbs: ['break-glass'], accounts: [rescuer] });
  await plane.ensure(...poolsOfLab);

  const kubeAs = ({ user }: Account): Kube => {
    const made = plane.kubeAs(plane.tokenFor({ name: user }));
    opened.push(made);
    return made;
  };
  const [operator = tenant] = operators;
  const asOperator = kubeAs(operator);
  const asTenant = kubeAs(tenant);
  const pathOf = (object: Draft) => `${collectionOf(object)}/${object.metadata.name}`;

  const probes = new Map([
    ['worker', machineConfig('00-probe-worker', 'worker')],
    ['gpu', machineConfig('00-probe-gpu', 'gpu')],
    ['alone', machineConfig('00-probe-alone', 'alone')],
    ['odd', labelled('00-probe-odd', { site: 'north', tier: 'x' })],
  ]);

  /** The policy sees a pool as the API server's cache has it, a moment after the write. */
  async function seen(name: string): Promise<boolean> {
    const probe = probes.get(name);
    if (probe === undefined) throw new Error(name);
    const pools = poolsIn(await refusalOf(() => asTenant.post(paths.machineConfigs, probe)));
    if (pools.length === 0) await asOperator.delete(pathOf(probe));
    return pools.includes(name);
  }

  async function pause(...names: readonly string[]): Promise<void> {
    for (const name of protectedPools)
      await kube.patch(`${paths.pools}/${name}`, { spec: { paused: names.includes(name) } });
  }

  async function pauseAllBut(...names: readonly string[]): Promise<void> {
    await pause(...protectedPools.filter((each) => !names.includes(each)));
    await until(
      async () => {
        for (const name of protectedPools) if ((await seen(name)) !== names.includes(name)) return false;
        return true;
      },
      60_000,
      `the policy to see that only ${names.join(', ') || 'no pool'} is not paused`,
    );
  }

  return {
    as: (account) => {
      const own = kubeAs(account);
      const query = ({ dryRun = false }: { readonly dryRun?: boolean } = {}) => (dryRun ? '?dryRun=All' : '');
      return {
        create: (object, options) => refusalOf(() => own.post(`${collectionOf(object)}${query(options)}`, object)),
        patch: (object, change, options) => refusalOf(() => own.patch(`${pathOf(object)}${query(options)}`, change)),
        delete: (object) => refusalOf(() => own.delete(pathOf(object))),
      };
    },
    kubeAs,
    place: async (object) => {
      await asOperator.post(collectionOf(object), object);
    },
    isThere: async (object) => (await kube.find(pathOf(object))) !== undefined,
    pause,
    pauseAllBut,
    now: () => new Date(),
    close: () => {
      for (const each of opened) each.close();
    },
  };
}

interface Grant {
  readonly verbs: readonly string[];
  readonly accounts: readonly Account[];
}

async function grant(plane: StartedControlPlane, name: string, { verbs, accounts }: Grant): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name: `lab-${name}` };
  await plane.ensure(
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata,
      rules: [{ apiGroups: groups, resources: ['*'], verbs }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name },
      subjects: accounts.map(({ user }) => ({ apiGroup: rbac, kind: 'User', name: user })),
    },
  );
}
