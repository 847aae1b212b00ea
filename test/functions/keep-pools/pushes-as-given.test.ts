import { expect, test } from 'vitest';
import type { RelaySettings } from '../../../functions/core/configuration/argocd.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { translatedPorts } from '../../../functions/shell/services/translated-ports.ts';
import { anApplication, fakeArgoCd } from '../../fakes/index.ts';
import { failures } from '../failing-calls.ts';
import { commitA, commitB, keepLab } from './keep-lab.ts';

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
