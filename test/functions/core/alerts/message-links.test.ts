import { expect, test } from 'vitest';
import { mailMessage } from '../../../../functions/core/alerts/message/mail.ts';
import { slackMessage } from '../../../../functions/core/alerts/message/slack.ts';
import type { LinkPlaces } from '../../../../functions/core/configuration/links.ts';
import { deadlock, drainBlocked, firing, sampleNow } from './samples.ts';

const sha = '3f9c2a1b4d5e6f708192a3b4c5d6e7f809182736';
const places: LinkPlaces = {
  clusters: [{ name: 'prod-eu-1', consoleUrl: 'https://console.example.com' }],
  argocd: [
    {
      name: 'hub',
      namespaces: ['openshift-gitops'],
      url: 'https://argocd.example.com',
      commitsUrl: 'https://github.com/acme/cluster-config/commit',
    },
  ],
};
const subject = { kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
const path = 'status.operationState.syncResult.revision';
const revision = { ref: subject, path, value: sha, readAt: sampleNow.toISOString() };
const failed = { ...deadlock, subject, sentence: 'see https://evil.example/x', evidence: [revision], because: [] };
const incident = { ...firing, trouble: { ...drainBlocked, findings: [failed] } };
const context = {
  now: sampleNow,
  occasion: 'opened',
  statusUrl: undefined,
  product: 'poolkeeper 0.1.0',
  places,
} as const;

test('[N-34] Slack links the pool, the Application and the commit, and no address that a cluster names', () => {
  const words = JSON.stringify(slackMessage(incident, context).blocks);

  expect(words).toContain(
    '<https://console.example.com/k8s/cluster/machineconfiguration.openshift.io~v1~MachineConfigPool/worker-gpu|worker-gpu in the console>',
  );
  expect(words).toContain(
    '<https://argocd.example.com/applications/openshift-gitops/nodes|openshift-gitops/nodes in Argo CD>',
  );
  expect(words).toContain(`<https://github.com/acme/cluster-config/commit/${sha}|commit 3f9c2a1b>`);
  expect(words).not.toContain('<https://evil');
});

test('[N-34] a mail links the same in both of its parts', () => {
  const { text, html } = mailMessage(incident, [], { ...context, deliveryId: 'd1', domain: 'example.com' });

  expect(text.replaceAll('\n', ' ')).toContain(
    'openshift-gitops/nodes in Argo CD: https://argocd.example.com/applications/openshift-gitops/nodes',
  );
  expect(text).toContain(
    'worker-gpu in the console:\nhttps://console.example.com/k8s/cluster/machineconfiguration.openshift.io~v1~MachineConfigPool/worker-gpu\n',
  );
  expect(html).toContain(`href="https://github.com/acme/cluster-config/commit/${sha}"`);
  expect(html).not.toContain('href="https://evil');
});
