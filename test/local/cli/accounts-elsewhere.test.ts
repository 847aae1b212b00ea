import { expect, test } from 'vitest';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { accountsElsewhere } from '../../../local/cli/accounts-elsewhere.ts';

const account = (namespace: string, name = 'poolkeeper') => ({ metadata: { name, namespace } });

test('[C-13] [N-29] an account in another namespace alone ends disconnect before anything is written, with what to say', async () => {
  const client = { list: async () => [account('ops-poolkeeper'), account('poolkeeper', 'other')] };

  const asked = accountsElsewhere(client, 'poolkeeper');

  await expect(asked).rejects.toThrow(
    new Misconfigured([
      "Poolkeeper's account is in namespace ops-poolkeeper, and not in poolkeeper; if that is the installation to be removed, say --namespace ops-poolkeeper",
    ]),
  );
});

test('[C-13] [N-29] one beside it is named, and none is none', async () => {
  const both = { list: async () => [account('poolkeeper'), account('ops-poolkeeper')] };
  const none = { list: async () => [] };

  expect(await accountsElsewhere(both, 'poolkeeper')).toEqual({
    homes: ['ops-poolkeeper'],
    stays: ['Poolkeeper has another account, in namespace ops-poolkeeper, which stays: --namespace ops-poolkeeper'],
  });
  expect(await accountsElsewhere(none, 'poolkeeper')).toEqual({ homes: [], stays: [] });
});

test('[C-13] [N-29] who may not list accounts is told so', async () => {
  const client = {
    list: () => Promise.reject(new Transient('list serviceaccounts: 403 Forbidden', { kind: 'forbidden' })),
  };

  expect(await accountsElsewhere(client, 'poolkeeper')).toEqual({
    homes: undefined,
    stays: [
      'whether Poolkeeper has an account in another namespace cannot be read: list serviceaccounts: 403 Forbidden',
    ],
  });
});
