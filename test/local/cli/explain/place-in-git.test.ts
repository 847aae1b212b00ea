import { expect, test } from 'vitest';
import { everyFinding } from '../../../../functions/core/findings/chain.ts';
import type { Remedy } from '../../../../functions/core/findings/trouble.ts';
import { Snapshot } from '../../../../local/snapshot/snapshot.ts';
import { corpus } from '../../../corpus/corpus.ts';
import { explainSituation } from '../../../corpus/explain-situation.ts';

const shop = {
  ref: { argocd: '', namespace: 'argocd', name: 'shop' },
  sources: [{ repoURL: 'https://github.com/acme/shop', path: 'deploy', targetRevision: 'main', chart: '' }],
};

/** A recorded drain behind a budget that spares no pod, with the budget under Argo CD. */
function recorded(applications: Snapshot['applications']): Snapshot {
  const drain = corpus.find(({ expected }) => JSON.stringify(expected).includes('P1'));
  const tracked = { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:policy/PodDisruptionBudget:shop/web' } };
  const metadata = { name: 'web', namespace: 'shop', uid: 'uid-pdb-web', generation: 1 };
  const text = JSON.stringify(drain?.snapshot).replaceAll(
    JSON.stringify(metadata),
    JSON.stringify({ ...metadata, ...tracked }),
  );
  return { ...Snapshot.parse(JSON.parse(text)), applications };
}

async function remediesOf(snapshot: Snapshot): Promise<readonly Remedy[]> {
  const { pools } = await explainSituation(snapshot);
  return pools.flatMap(({ troubles }) =>
    troubles.flatMap(({ findings }) => findings.flatMap(everyFinding).flatMap(({ remedies }) => remedies)),
  );
}

test('[S1-12] [N-12] a recording keeps the Applications: a remedy says where in Git it belongs', async () => {
  const remedies = await remediesOf(recorded([{ ...shop, selfHeal: false }]));

  expect(remedies.map(({ title }) => title)).toContain(
    'In Git: let the budget spare one pod (maxUnavailable 1), or run one replica more (https://github.com/acme/shop, path deploy; Argo CD application argocd/shop)',
  );
});

test('[S1-12] where self-heal would take a live edit back, no command for one is given', async () => {
  const healed = await remediesOf(recorded([{ ...shop, selfHeal: true }]));
  const unknown = await remediesOf(recorded([]));

  expect(healed.filter(({ command = '' }) => command.includes('patch pdb'))).toEqual([]);
  expect(unknown.find(({ command = '' }) => command.includes('patch pdb'))?.title).toContain(
    'Argo CD application shop may take a live edit back',
  );
});
