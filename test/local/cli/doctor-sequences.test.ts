import { describe, expect, test } from 'vitest';
import { checkRights } from '../../../local/cli/doctor/check-rights.ts';
import { checkSequences } from '../../../local/cli/doctor/check-sequences.ts';
import { referenceSteps, sequenceOf } from '../../functions/core/sequences/sequence-builder.ts';
import { aConnected } from './a-connected.ts';

type Asked = Readonly<Record<string, unknown>>;

/** An account that has every right but these. */
function refusing(isRefused: (right: Asked) => boolean) {
  const post = async (
    _path: string,
    _query: unknown,
    body: { readonly spec: { readonly resourceAttributes: Asked } },
  ) => ({
    status: { allowed: !isRefused(body.spec.resourceAttributes) },
  });
  return { post } as never;
}

const sequences = { virt: sequenceOf(referenceSteps, { clusters: ['prod'] }) };

describe('[C-13] [N-29] the doctor on the rights of sequences', () => {
  test('names each that the account lacks, and the command that prints them as YAML', async () => {
    const client = refusing(({ resource }) => resource === 'subscriptions');

    const connected = aConnected({ home: 'pk-dev', config: 'dev.yaml' });
    const findings = await checkSequences(connected, { sequences, argocd: [] }, client);

    expect(findings).toEqual([
      {
        about: 'prod',
        state: 'wrong',
        what: expect.stringMatching(/^sequences: the account may not get subscriptions in openshift-\w+; /),
        remedy: expect.stringContaining(
          'poolkeeper manifests --sequences dev.yaml --cluster prod --level observe --argocd-namespace none --only access --namespace pk-dev',
        ),
      },
    ]);
  });

  test('counts those that it has, and is silent where there are none', async () => {
    const client = refusing(() => false);

    const all = await checkSequences(aConnected(), { sequences, argocd: [] }, client);

    expect(all).toEqual([
      { about: 'prod', state: 'ok', what: expect.stringMatching(/^sequences: all \d+ rights that they need$/) },
    ]);
    expect(await checkSequences(aConnected({ cluster: 'other' }), { sequences, argocd: [] }, client)).toEqual([]);
    expect(await checkSequences(aConnected(), { sequences: undefined, argocd: [] }, client)).toEqual([]);
  });
});

test('[C-13] [N-29] the doctor misses the right to start refused syncs again, where that is the policy', async () => {
  const client = refusing(({ verb, resource }) => verb === 'patch' && resource === 'applications');
  const wanted = { pools: ['worker'], argocdNamespaces: ['openshift-gitops'] };

  const [told] = await checkRights(aConnected(), client, wanted);
  const [restarting] = await checkRights(aConnected(), client, { ...wanted, restartsIn: ['openshift-gitops'] });

  expect(told?.state).toBe('ok');
  expect(restarting).toMatchObject({
    state: 'wrong',
    what: 'rights: the account may not patch applications in openshift-gitops',
  });
});
