import { expect, test } from 'vitest';
import { statusOfCommit, statusText } from '../../../../functions/core/preview/status-text.ts';
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

test('[N-14] [N-29] a long name of a branch cuts nothing of what a status says', () => {
  const pools = ['customers-north', 'customers-south'].map((pool) =>
    aPreviewedPool({ pool, class: 'none', machines: 100 }),
  );
  const clusters = [{ cluster: 'cluster 1', applications: [], silent: [], warnings: [], pools }];
  const base = 'release/2026-03-with-all-that-belongs-to-it';
  const preview = aPreview({ clusters, beyond: 2, state: { head: 'a'.repeat(40), base } });
  const said = statusOfCommit(preview);

  expect(said).toMatch(/^Into release.*: /);
  expect(said.endsWith(statusText(preview))).toBe(true);
  expect(said.length).toBeLessThanOrEqual(140);
});
