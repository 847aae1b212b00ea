import { aPoolView } from '../../../fakes/index.ts';

const heldSince = '2026-03-02T10:12:00.000Z';
/** Paused for a sync that runs, with a change waiting. */
export const held = aPoolView({
  paused: true,
  pauseOf: 'ours',
  pausedBy: 'poolkeeper',
  pausedSince: heldSince,
  pending: true,
  updated: false,
  targetConfig: 'rendered-worker-bbb',
  counts: { machines: 3, updated: 2, ready: 3, unavailable: 0, degraded: 0 },
  holds: [
    {
      id: 'sync/hub/openshift-gitops/nodes',
      kind: 'sync',
      who: 'openshift-gitops/nodes',
      why: 'Argo CD syncs openshift-gitops/nodes',
      phase: 'syncing',
      since: heldSince,
      until: '2026-03-02T11:12:00.000Z',
    },
  ],
});
