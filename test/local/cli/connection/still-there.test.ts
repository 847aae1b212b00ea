import { expect, test } from 'vitest';
import { stillThere } from '../../../../local/cli/connection/still-there.ts';

test('[C-13] [N-29] of thousands of objects some are looked at at once, so that no call waits for longer than it may take', async () => {
  const objects = Array.from({ length: 3_001 }, (_, index) => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name: `job-${index}`, namespace: 'shop' },
  }));
  let open = 0;
  let most = 0;
  const client = {
    async get(path: string) {
      open += 1;
      most = Math.max(most, open);
      await new Promise<void>((resolve) => setImmediate(resolve));
      open -= 1;
      return /-(?:7|3000)$/.test(path) ? { metadata: {} } : undefined;
    },
  };

  const standing = await stillThere(client, objects);

  expect(standing.map(({ object }) => object.metadata.name)).toEqual(['job-7', 'job-3000']);
  expect(most).toBe(50);
});
