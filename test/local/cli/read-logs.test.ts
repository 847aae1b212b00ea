import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifests } from '../../../local/cli/manifests.ts';

async function printed(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const said: string[] = [];
  await manifests.run(['--only', 'access', ...args], {
    out: (text) => said.push(text),
    note: () => {},
    environment: {},
    now: () => new Date(),
  });
  return parseAllDocuments(said.join('')).map((document) => document.toJS());
}

function grantsLogs(objects: readonly Record<string, unknown>[]) {
  return objects.filter((each) => JSON.stringify(each['rules'] ?? '').includes('pods/log'));
}

test('[S1-11] the right to read logs is opt-in, in the namespace of the Machine Config Operator and nowhere else', async () => {
  const usual = grantsLogs(await printed());
  const asked = grantsLogs(await printed('--read-logs'));

  expect(usual).toEqual([]);
  expect(asked).toMatchObject([
    {
      kind: 'Role',
      metadata: { namespace: 'openshift-machine-config-operator' },
      rules: [{ apiGroups: [''], resources: ['pods/log'], verbs: ['get'] }],
    },
  ]);
});
