import { expect, test } from 'vitest';
import { statusText } from '../../../../functions/core/preview/status-text.ts';
import { aPreview, aPreviewedPool } from './samples.ts';

test('[N-14] counts the nodes that suffer the worst, and the others apart', () => {
  const cluster = { cluster: 'cluster 1', applications: [], silent: [], warnings: [] };
  const keys = aPreviewedPool({ class: 'none', machines: 100 });
  const gpu = aPreviewedPool({ pool: 'gpu', machines: 3 });
  const say = (...pools: readonly ReturnType<typeof aPreviewedPool>[]) =>
    statusText(aPreview({ clusters: [{ ...cluster, pools }] }));

  expect(say(keys, gpu)).toBe('Reboots 3 nodes: gpu, about 45 min, does less to 100 nodes (worker).');
  expect(say(keys, { ...gpu, class: undefined })).toMatch(/^May reboot 3 nodes: gpu, .* does less to 100 nodes/);
  expect(statusText(aPreview({ clusters: [{ ...cluster, pools: [keys, gpu] }], beyond: 2 }))).toBe(
    'Reboots 3 nodes: gpu, about 45 min, 2 clusters not checked, does less to 100 nodes (worker).',
  );
  expect(say(keys)).toBe('Writes to, without disrupting, 100 nodes: worker, about 100 min.');
});
