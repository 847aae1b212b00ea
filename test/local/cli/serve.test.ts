import { expect, test } from 'vitest';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { serve } from '../../../local/cli/serve.ts';

const surroundings = { out: () => {}, note: () => {}, environment: {}, now: () => new Date(0) };

test('[C-11] poolkeeper serve says everything that is wrong with its command line at once', async () => {
  const line = ['--data', 'd', '--table', 't', '--lease', 'Not A Name', '--lease-seconds', '5', '--port', 'http'];
  const wrong = await Promise.resolve(serve.run(line, surroundings)).catch((cause: unknown) => cause);

  expect(wrong instanceof Misconfigured && wrong.problems).toEqual([
    '--config FILE is missing',
    'give either --data DIR or --table NAME',
    '--lease Not A Name: is not a Kubernetes name',
    '--lease-seconds 5: must be a whole number from 15 to 300',
    '--port and --local-port are whole numbers from 0 to 65535',
  ]);
});

test('[C-11] poolkeeper serve says that it is in no pod', async () => {
  await expect(serve.run(['--config', 'nowhere.yaml', '--data', 'nowhere'], surroundings)).rejects.toThrow(
    'KUBERNETES_SERVICE_HOST is not set',
  );
});
