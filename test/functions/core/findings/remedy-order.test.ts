import { describe, expect, test } from 'vitest';
import { composeMessage } from '../../../../functions/core/alerts/message/compose-message.ts';
import { mailMessage } from '../../../../functions/core/alerts/message/mail.ts';
import { preflightText } from '../../../../functions/core/diagnose/preflight/preflight-text.ts';
import { remedy } from '../../../../functions/core/diagnose/remedies.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import { remediesInOrder } from '../../../../functions/core/findings/remedy-order.ts';
import type { Finding, Remedy } from '../../../../functions/core/findings/trouble.ts';
import { drainBlocked, firing, sampleNow } from '../alerts/samples.ts';

function ofSync(namespace: string, name: string, ...more: readonly Remedy[]): Finding {
  return finding({
    code: 'A2',
    subject: ref('Application', name, namespace),
    sentence: `The sync of ${namespace}/${name} hangs.`,
    confidence: 'certain',
    class: 'external',
    remedies: [
      remedy('Fix what it waits for'),
      ...more,
      remedy('Or terminate the sync', { command: `argocd app terminate-op ${namespace}/${name}`, risk: 'low' }),
    ],
  });
}

const context = { now: sampleNow, occasion: 'opened', statusUrl: undefined, product: 'poolkeeper 0.1.0' } as const;

function told(findings: readonly Finding[]) {
  const incident = { ...firing, trouble: { ...drainBlocked, findings } };
  const mail = mailMessage(incident, [], { ...context, deliveryId: 'd1', domain: 'example.com' });
  return { message: composeMessage(incident, context), mail: mail.text };
}

describe('[S1-12] [N-29] [N-30] two objects with the same trouble', () => {
  const two = [ofSync('openshift-gitops', 'nodes'), ofSync('team-b', 'bnodes')];

  test('have a command each, which says whose it is; what is the same for both is said once', () => {
    expect(remediesInOrder(two).map(({ title, command }) => [title, command])).toEqual([
      ['Fix what it waits for', undefined],
      ['Or terminate the sync (Application openshift-gitops/nodes)', 'argocd app terminate-op openshift-gitops/nodes'],
      ['Or terminate the sync (Application team-b/bnodes)', 'argocd app terminate-op team-b/bnodes'],
    ]);
  });

  test('are so in a message', () => {
    const { message, mail } = told(two);

    expect(message.remedies.map(({ command }) => command)).toContain('argocd app terminate-op team-b/bnodes');
    expect(mail).toContain('Or terminate the sync (Application team-b/bnodes) (low risk, platform)');
    expect(mail).toContain('argocd app terminate-op openshift-gitops/nodes');
  });

  test('are so where they are causes of one drain', () => {
    const drain = finding({
      code: 'D1',
      subject: ref('Node', 'worker-2'),
      sentence: 'worker-2 does not drain.',
      confidence: 'certain',
      class: 'structural',
      because: two,
    });
    const preflight = {
      obstacles: [{ nodes: ['worker-2'], finding: drain }],
      besides: [],
      losses: [],
      skipped: 0,
      unread: [],
    };

    const text = preflightText({ pool: 'worker', touched: 1, preflight: { ...preflight, systems: undefined } });

    expect(text).toContain('- Or terminate the sync (Application openshift-gitops/nodes) (risk: low)');
    expect(text).toContain('argocd app terminate-op team-b/bnodes');
  });

  test('one of which is worse than the other: the safer first', () => {
    const patch = (name: string, risk: Remedy['risk']) =>
      finding({
        code: 'P1',
        subject: ref('PodDisruptionBudget', name, 'shop'),
        sentence: '',
        confidence: 'strong',
        class: 'structural',
        remedies: [remedy('Relax the budget', { command: `oc patch pdb ${name}`, risk })],
      });

    const ordered = remediesInOrder([patch('web', 'outage'), patch('db', 'low')]);

    expect(ordered.map(({ title, risk }) => [title, risk])).toEqual([
      ['Relax the budget (PodDisruptionBudget shop/db)', 'low'],
      ['Relax the budget (PodDisruptionBudget shop/web)', 'outage'],
    ]);
  });

  test('that is one object, found twice, has its command once, without its name', () => {
    const [one] = two;

    expect(remediesInOrder([...two.slice(0, 1), ...(one === undefined ? [] : [one])])).toEqual(one?.remedies);
  });
});

describe('[S1-12] [N-29] many objects with the same trouble', () => {
  const many = Array.from({ length: 7 }, (_, index) => ofSync('tenant', `app-${index}`));

  test('have few commands, those of every owner by turns, and the rest is counted', () => {
    const ordered = remediesInOrder([...many, ofSync('team-b', 'bnodes')]);

    expect(ordered.map(({ title }) => title)).toEqual([
      'Fix what it waits for',
      'Or terminate the sync (Application tenant/app-0)',
      'Or terminate the sync (Application tenant/app-1)',
      'Or terminate the sync (Application team-b/bnodes, and 5 more)',
    ]);
  });

  test('take no remedy of another kind out of a message', () => {
    const kinds = Array.from({ length: 6 }, (_, index) => remedy(`See its part ${index}`));
    const { message } = told([...many.slice(0, 3), ofSync('team-b', 'bnodes', ...kinds)]);

    expect(message.remedies).toHaveLength(8);
    expect(message.remedies.map(({ title }) => title)).toEqual([
      'Fix what it waits for',
      ...kinds.map(({ title }) => title),
      'Or terminate the sync (Application tenant/app-0, and 3 more)',
    ]);
  });

  test('with names as long as they may be leave the words of the title', () => {
    const long = (name: string) => ofSync('n'.repeat(63), name.repeat(253));

    for (const { title } of remediesInOrder([long('a'), long('b')]).slice(1))
      expect(title).toMatch(/^Or terminate the sync \(Application n.{80,110}\)$/);
  });
});
