import { expect, test } from 'vitest';
import type { RelaySettings } from '../../../functions/core/configuration/argocd.ts';
import { poolsOf } from '../../../functions/core/relay/may-pass-on.ts';
import type { PushOutcome } from '../../../functions/core/relay/push-outcome.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { fillIn } from '../../../functions/shell/configuration/fill-in.ts';
import { translatedPorts } from '../../../functions/shell/services/translated-ports.ts';
import { fakePools } from '../../fakes/fake-pools.ts';
import { anApplication, aPool, fakeArgoCd } from '../../fakes/index.ts';
import { failures } from '../failing-calls.ts';
import { changedFile, pushFiles } from '../receive-github/push-of-files.ts';
import { commitA, commitB, keepLab, nodesHold, tickOf } from './keep-lab.ts';

const hubUrl = 'https://argocd.example.com/api/webhook';
const relay: RelaySettings = { url: hubUrl, ca: undefined, waitAtMostSeconds: 30, sendAgainAfterSeconds: 30 };

interface Given {
  /** What has accepted the first delivery, as `hub/applications`. */
  readonly accepted?: readonly string[];
  readonly relayOf?: Readonly<Record<string, RelaySettings | undefined>>;
  readonly failure?: Error;
}

/** A push to Applications of Argo CDs `hub` and `west`, which no sync followed, is delivered again. Names those for
 *  which the pool is paused then, and how often the relay's notes were read. */
async function deliveredAgain({ accepted = [], relayOf = { hub: relay, west: relay }, failure }: Given) {
  const lab = keepLab();
  const west = fakeArgoCd({ faults: lab.world.faults, name: 'west' });
  west.put(anApplication({ argocd: 'west', sync: { status: 'Synced', revisions: [commitA] } }));
  const [hub] = lab.ports.configuration.argocd;
  if (hub === undefined) throw new Error('the lab has an Argo CD');
  const argocd = ['hub', 'west'].map((name) => ({ ...hub, name, relay: relayOf[name] }));
  const first = lab.world.clock.now().toISOString();
  const read: string[] = [];
  const ports: KeepPorts = translatedPorts({
    ...lab.ports,
    configuration: { ...lab.ports.configuration, argocd },
    argocd: async (name) => (name === 'hub' ? lab.world.argocd : west),
    relayed: {
      async acceptedAsOf(to) {
        read.push(`${to.argocd}/${to.endpoint}`);
        if (failure !== undefined) throw failure;
        return accepted.includes(`${to.argocd}/${to.endpoint}`) ? first : undefined;
      },
    },
  });
  await keep(lab.pushOf(commitB), ports);
  const readAtFirst = read.length;
  lab.world.clock.advance(3600);
  await lab.tick();
  lab.world.clock.advance(600);
  await lab.tick();
  if (lab.pool().paused) throw new Error('the pool is to be resumed');
  await keep(lab.pushOf(commitB), ports);
  return { readAtFirst, read, heldBy: (lab.record()?.holds ?? []).map(({ id }) => id.split('/')[1]) };
}

test('[N-26] [S0-17] is paused for again for the Argo CD that did not get it, and not for the one that did', async () => {
  const { heldBy, readAtFirst, read } = await deliveredAgain({ accepted: ['hub/applications'] });

  expect(heldBy).toEqual(['west']);
  expect([readAtFirst, read.toSorted()]).toEqual([0, ['hub/applications', 'west/applications']]);
});

test('[N-26] [S0-17] without a relay an Argo CD has it from GitHub: nothing is paused again', async () => {
  const { heldBy, read } = await deliveredAgain({ relayOf: { west: relay }, accepted: ['west/applications'] });

  expect([heldBy, read]).toEqual([[], ['west/applications']]);
});

test('[N-26] is paused for again where one of the two servers of an Argo CD did not get it', async () => {
  const both = { ...relay, applicationSetUrl: 'https://sets.example.com/api/webhook' };
  const accepted = ['hub/applications', 'west/applications', 'west/applicationsets'];

  const { heldBy } = await deliveredAgain({ relayOf: { hub: both, west: both }, accepted });

  expect(heldBy).toEqual(['hub']);
});

test.each([...Object.entries(failures), ['busy', () => new Transient('busy', { kind: 'busy' })] as const])(
  '[N-26] [N-30] where that cannot be read (%s), it is paused for again',
  async (_, failureOf) => {
    const { heldBy } = await deliveredAgain({ failure: failureOf('relayed.acceptedAsOf') });

    expect(heldBy.toSorted()).toEqual(['hub', 'west']);
  },
);

function specAt(revision: string): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: nodes, namespace: openshift-gitops}
spec:
  source: {repoURL: 'https://github.com/acme/nodes.git', path: nodes, targetRevision: ${revision}}
  destination: {server: 'https://kubernetes.default.svc'}
  syncPolicy: {automated: {}}
`;
}

/** A push changes the spec of `nodes` in Argo CD `hub`, which `root` writes: in `hub`, or in `central`. The Argo CD of
 *  `root` has not got it, and the other one has. */
async function writtenBy(owner: 'central' | 'hub', relays: Readonly<Record<string, RelaySettings | undefined>>) {
  const lab = keepLab();
  const [prod] = lab.ports.configuration.clusters;
  const [hub] = lab.ports.configuration.argocd;
  const [source] = lab.world.argocd.get('nodes').sources;
  if (prod === undefined || hub === undefined || source === undefined) throw new Error('the lab has all of these');
  const pools = fakePools({ clock: lab.world.clock.now, faults: lab.world.faults });
  pools.put(aPool());
  const central = fakeArgoCd({ name: 'central' });
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
  lab.world.argocd.change('nodes', { sources: [{ ...source, repoURL: 'https://github.com/acme/nodes.git' }] });
  const root = anApplication({
    name: 'root',
    uid: 'root',
    resources: [{ ...child, status: 'Synced' }],
    sync: { status: 'Synced', revisions: [commitA] },
    sources: [{ ...source, path: 'apps' }],
    ...(owner === 'central' ? { namespace: 'central', destination: { server: '', name: 'prod' } } : {}),
  });
  (owner === 'central' ? central : lab.world.argocd).put(root);
  const configuration = fillIn(
    {
      ...lab.ports.configuration,
      clusters: [prod, { ...prod, name: 'mgmt', api: { ...prod.api, server: 'https://mgmt.example.com:6443' } }],
      argocd: [
        { ...hub, relay: relays['hub'] },
        {
          ...hub,
          name: 'central',
          cluster: 'mgmt',
          namespaces: ['central'],
          controllerNamespace: 'central',
          relay: relays['central'],
          destinations: [{ name: 'prod', cluster: 'prod' }],
        },
      ],
    },
    new Map(),
  );
  const first = lab.world.clock.now().toISOString();
  const outcomes: PushOutcome[] = [];
  const ports: KeepPorts = {
    ...lab.ports,
    configuration,
    cluster: async (name) => ({ ...(await lab.ports.cluster('prod')), ...(name === 'prod' ? {} : { pools }) }),
    argocd: async (name) => (name === 'central' ? central : lab.world.argocd),
    outcomes: { load: async () => undefined, save: async (outcome) => void outcomes.push(outcome) },
    relayed: { acceptedAsOf: async ({ argocd }) => (argocd === owner ? undefined : first) },
  };
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) {
      lab.world.clock.advance(60);
      await keep(tickOf(lab.world.clock.now()), ports);
    }
  };
  const push = () => pushFiles(lab, [changedFile('apps/nodes.yaml', specAt('v1'), specAt('v2'))], { ports });
  await keep(tickOf(lab.world.clock.now()), ports);
  await push();
  return { lab, push, minutes, outcomes };
}

test.each([
  ['central', 'with', { central: relay, hub: relay }],
  ['central', 'without', { central: relay }],
  ['hub', 'with', { central: relay, hub: relay }],
] as const)(
  '[N-26] is paused for again where %s, which has the writer, did not get it: the spoke %s a relay',
  async (owner, _, relays) => {
    const { lab, push, minutes } = await writtenBy(owner, relays);
    const atFirst = lab.pool().paused;
    await minutes(30);
    const before = lab.pool().paused;

    await push();

    expect([atFirst, before, lab.pool().paused]).toEqual([true, false, true]);
  },
);

test('[N-26] the relay to the Argo CD of the writer waits for the pools of what that writes in another', async () => {
  const { outcomes } = await writtenBy('central', { central: relay, hub: relay });

  expect(outcomes).toMatchObject([{ paused: [{ hold: nodesHold, writtenIn: ['central'] }] }]);
  expect(poolsOf('central', outcomes[0])).toHaveLength(1);
});

test('[N-26] [S0-15] to its writer alone it pauses a pool that a person had resumed in spite of it, as a later push does', async () => {
  const { lab, push, minutes } = await writtenBy('hub', { hub: relay });
  await minutes(1);
  lab.world.pools.change('worker', 'oc', { paused: false });
  await minutes(13);
  const before = lab.record()?.holds.map(({ overruled }) => overruled?.by);

  await push();

  expect([before, lab.pool().paused]).toEqual([['oc'], true]);
});
