import { describe, expect, test } from 'vitest';
import { errorWords } from '../../../../functions/core/judge/headlines.ts';

import { look, withCode } from '../diagnose/look.ts';
import { aLiveNode, aWorld, newConfig, nodeSubject } from '../diagnose/world.ts';

async function explained(reason: string) {
  const annotations = { state: 'Degraded', reason, desiredConfig: newConfig };
  const world = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', { annotations })] });
  return await look(world, nodeSubject(world, 'worker-2', 'failing'));
}

async function wordsFor(...reasons: readonly string[]): Promise<string> {
  const findings = await Promise.all(reasons.map(async (reason) => (await explained(reason)).findings));
  return errorWords(reasons, findings.flat());
}

const image =
  'quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:5c1b1d0a3c4e4f5f6a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b';
const rebase = (error: string) =>
  `failed to update OS to ${image} after retries: error running rpm-ostree rebase --experimental ostree-unverified-registry:${image}: error: ${error}\n: exit status 1: timed out waiting for the condition`;

describe('the headline of a degraded node', () => {
  test.each([
    ['N19', 'Could not depsolve transaction; 1 problem detected: Problem: package a conflicts with b'],
    ['N20', 'Timeout was reached'],
    ['N22', 'No space left on device'],
    ['N6', 'Transaction in progress: deploy --lock-finalization'],
  ])('[N-12] [S1-3] carries the innermost error literally: %s %s', async (code, error) => {
    expect(await wordsFor(rebase(error))).toBe(`: ${error}`);
    expect(withCode(await explained(rebase(error)), code).sentence).toContain(error);
  });

  test('[N-12] without the escape sequences of rpm-ostree, and with digests cut in their middle', async () => {
    const words = await wordsFor(
      rebase(`\u001b[31mOld and new refs are equal\u001b[0m: ostree-unverified-registry:${image}`),
    );

    expect(words).toMatch(/^: Old and new refs are equal: ostree-unverified-registry:\S*5c1b1d0a\.\.\.2a3b$/);
  });

  test('[N-12] says nothing more where the text hides its cause, and where nodes say different things', async () => {
    expect(await wordsFor('error running rpm-ostree rebase x: exit status 1')).toBe('');
    expect(await wordsFor(rebase('Timeout was reached'), rebase('No space left on device'))).toBe('');
    expect(await wordsFor(rebase('Timeout was reached'), rebase('Timeout was reached'))).toBe(': Timeout was reached');
  });
});

test('[S1-11] [S1-12] a text that nobody knows comes with the command for its log', async () => {
  const found = withCode(await explained('something nobody has ever seen'), 'N0');

  expect(found.remedies[0]).toMatchObject({
    risk: 'none',
    command: expect.stringMatching(/^oc -n openshift-machine-config-operator logs .*spec\.nodeName=worker-2/),
  });
});
