import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pushPayload } from '../openshift/argocd/push-payload.ts';
import { githubSignature } from '../run/github-signature.ts';
import type { Demo } from './demo-set-up.ts';

/** Both ways to push. `folder` gets the body of a webhook. */
export async function inviteToPush(demo: Demo, folder: string): Promise<string> {
  const delivered = await inviteToDeliver(demo, folder);
  return `${inviteToGit(demo)}${delivered}

Ctrl-C ends.`;
}

/** A change in a clone, which the simulated GitHub delivers; nothing on a machine without Git. */
function inviteToGit({ hasGit, server, world: { repository } }: Demo): string {
  if (!hasGit) return '';
  return `
Push a change of your own, and watch the pool pause:

${cloneCommand(server.url, repository)}
sed -i.bak 's/ntp[0-9]*/ntp9/' machine-config/worker-chrony.json
git commit -m 'another time server' machine-config && git push
`;
}

export function cloneCommand(url: string, { owner, name }: Demo['world']['repository']): string {
  return `git clone ${url}/git/${owner}/${name}.git && cd ${name}`;
}

/** The webhook of a change that is committed already. */
async function inviteToDeliver(demo: Demo, folder: string): Promise<string> {
  const body = JSON.stringify(pushPayload(demo.world.pushChange()));
  const file = join(folder, 'push.json');
  await writeFile(file, body);
  const secret = demo.secrets.github === 'development' ? '"development"' : 'of POOLKEEPER_GITHUB_SECRET';
  return `
Or deliver only the webhook of a change that is committed already (signed with the secret
${secret}):

curl -sS ${demo.server.url}/github \\
  -H 'Content-Type: application/json' -H 'X-GitHub-Event: push' \\
  -H "X-GitHub-Delivery: try-$(date +%s)" \\
  -H 'X-Hub-Signature-256: ${githubSignature(body, demo.secrets.github)}' \\
  --data-binary @${file}`;
}
