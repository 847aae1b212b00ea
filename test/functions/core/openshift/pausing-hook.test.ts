import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../../functions/adapters/yaml/read-manifests.ts';
import {
  pausingHookOf,
  pausingHookRemedy,
  pausingHookWords,
} from '../../../../functions/core/openshift/pausing-hook.ts';
import { hookOfTheArticle } from './hook-of-the-article.ts';

function hookIn(text: string) {
  const read = manifestReader()(text, 'hook.yaml');
  const [manifest] = read.kind === 'read' ? read.manifests : [];
  return manifest === undefined ? undefined : pausingHookOf(manifest);
}

describe('hooks of a sync that pause pools by themselves', () => {
  test('[S0-25] the Jobs of the article are found, with pool, phase and what else came with them', () => {
    const before = hookIn(hookOfTheArticle('PreSync', true));
    const after = hookIn(hookOfTheArticle('PostSync', false));

    expect(before).toEqual({
      what: 'Job openshift-gitops/mcp-worker-paused',
      phase: 'PreSync',
      does: 'pauses',
      pool: 'worker',
      serviceAccount: 'sync-job-sa',
    });
    expect(after).toMatchObject({ phase: 'PostSync', does: 'resumes', pool: 'worker' });
    expect(after && pausingHookWords(after)).toContain('is a PostSync hook that resumes pool worker by itself');
    expect(after && pausingHookRemedy(after, 'hooks/post.yaml')).toMatch(
      /^Remove hooks\/post\.yaml, and ServiceAccount sync-job-sa .* manifests prints for level handshake$/,
    );
  });

  test.each([
    ['oc patch mcp/infra --type merge -p \'{"spec":{"paused":true}}\'', 'pauses', 'infra'],
    ['oc patch machineconfigpool worker --type=merge -p spec:{paused:false}', 'resumes', 'worker'],
    [
      'kubectl patch machineconfigpools.machineconfiguration.openshift.io gpu -p \'{"spec":{"paused":null}}\'',
      'resumes',
      'gpu',
    ],
    ['oc patch mcp $1 -p "{\\"spec\\":{\\"paused\\":$2}}"', 'pauses or resumes', undefined],
  ] as const)('[S0-25] %s', (command, does, pool) => {
    expect(hookIn(job(command))).toMatchObject({ does, pool });
  });

  test.each([
    ['a Job that is no hook', job('oc patch mcp worker -p paused:true', '{}')],
    ['a hook that only looks', job('oc get mcp worker -o jsonpath={.spec.paused}')],
    ['a hook for something else', job('oc patch deployment web -p paused:true')],
    ['a hook that migrates', job('npm run migrate')],
  ])('[S0-25] %s is left alone', (_, text) => {
    expect(hookIn(text)).toBeUndefined();
  });

  test('[S0-25] a Helm hook is one too', () => {
    expect(
      hookIn(job('oc patch mcp worker -p paused:true', '{ helm.sh/hook: "pre-install,pre-upgrade" }')),
    ).toMatchObject({
      phase: 'PreSync',
    });
  });
});

function job(command: string, annotations = '{ argocd.argoproj.io/hook: PreSync }'): string {
  return `apiVersion: batch/v1
kind: Job
metadata: { name: a, annotations: ${annotations} }
spec: { template: { spec: { containers: [{ name: a, command: [sh, -c, ${JSON.stringify(command)}] }] } } }
# argocd.argoproj.io/hook:
`;
}
