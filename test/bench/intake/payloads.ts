import examples from '@octokit/webhooks-examples' with { type: 'json' };

type Examples = readonly { readonly name: string; readonly examples: readonly object[] }[];

/** GitHub's own example of a push, as it is sent. */
export function smallPush(): Buffer {
  const [push] = (examples as unknown as Examples)
    .filter(({ name }) => name === 'push')
    .flatMap((each) => each.examples);
  return Buffer.from(JSON.stringify(push));
}

/** A push of so many commits of a message and three files each. */
export function largePush(commits: number): Buffer {
  const push = JSON.parse(smallPush().toString());
  const [author] = [{ name: 'Mona Lisa', email: 'mona@example.com', username: 'mona' }];
  return Buffer.from(
    JSON.stringify({
      ...push,
      created: false,
      deleted: false,
      commits: Array.from({ length: commits }, (_, index) => ({
        id: index.toString(16).padStart(40, '0'),
        tree_id: index.toString(16).padStart(40, '1'),
        distinct: true,
        message: `change ${index}: raise the limit of the ingress controllers in the second zone`,
        timestamp: '2026-03-02T10:00:00Z',
        url: `https://github.com/acme/platform/commit/${index.toString(16).padStart(40, '0')}`,
        author,
        committer: author,
        added: [`apps/team-${index % 97}/added-${index}.yaml`],
        removed: [],
        modified: [
          `apps/team-${index % 97}/values-${index % 31}.yaml`,
          `clusters/east/${index % 61}/kustomization.yaml`,
        ],
      })),
    }),
  );
}
