import type { Preview, PreviewedCluster, PreviewedPool } from '../../../../functions/core/preview/preview.ts';

export function aPreviewedPool(change: Partial<PreviewedPool> = {}): PreviewedPool {
  return {
    pool: 'worker',
    why: ['MachineConfig `99-worker-chrony` is merged into it'],
    machines: 3,
    maxUnavailable: '1',
    class: 'reboot',
    update: 'files',
    reasons: [
      { what: 'file /etc/chrony.conf', class: 'reboot', why: 'no rule lets this file be written without a reboot' },
    ],
    diff: [
      {
        what: 'file /etc/chrony.conf',
        change: 'changed',
        lines: ['-pool old.example.com', '+pool new.example.com'],
        note: '',
        source: '99-worker-chrony',
        security: [],
      },
    ],
    warnings: [],
    holds: [],
    ...change,
  };
}

function aPreviewedCluster(change: Partial<PreviewedCluster> = {}): PreviewedCluster {
  return { cluster: 'cluster 1', applications: [], pools: [aPreviewedPool()], silent: [], warnings: [], ...change };
}

export function aPreview(change: Partial<Preview> = {}): Preview {
  return {
    state: { head: 'c'.repeat(40), base: 'main' },
    applications: 1,
    clusters: [aPreviewedCluster()],
    outOfSight: [],
    beyond: 0,
    unknown: [],
    unjudged: [],
    unreadable: [],
    isPartial: false,
    isNamed: false,
    ...change,
  };
}
