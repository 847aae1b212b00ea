import { stringify } from 'yaml';

/** Name of the cluster in the configuration. */
export const clusterName = 'lab';
export const argocdName = 'lab-argocd';
export const argocdNamespace = 'openshift-gitops';
export const clusterTokenSecret = 'poolkeeper/lab/token';
export const slackTokenSecret = 'poolkeeper/slack-bot-token';
export const slackChannel = 'C0123456789';
export const slackTeam = 'T0123456789';
/** Name and value of the secret that Slack signs presses with. */
export const slackSigning = { name: 'poolkeeper/slack-signing', value: 'the-signing-secret' } as const;
/** The pool whose changes these people approve, both of them. */
export const approvedPool = 'approved';
export const approvers = ['U0000000001', 'U0000000002'] as const;
export const mailFrom = 'poolkeeper@example.com';

export interface Around {
  readonly server: string;
  readonly ca: string;
  readonly slackApiUrl: string;
}

/** The poolkeeper.yaml that is deployed: one cluster, one Argo CD, Slack and SES. Lengths of time are short, so that
 *  what takes minutes takes seconds; everything else is as a user would write it. */
export function poolkeeperYaml({ server, ca, slackApiUrl }: Around): string {
  return stringify({
    clusters: [
      {
        name: clusterName,
        api: { server, ca, tokenSecret: clusterTokenSecret },
        pools: { [approvedPool]: { approve: { by: approvers.map((user) => `slack:${user}`), needed: 2 } } },
      },
    ],
    argocd: [{ name: argocdName, cluster: clusterName, namespaces: [argocdNamespace] }],
    policy: {
      internals: {
        sweepEvery: '1s',
        renderSettle: '1s',
        blindAfterMisses: 3,
        alerting: { holdDown: '0s', keepFiring: '0s', editEvery: '1s' },
      },
    },
    alerts: {
      slackButtons: { signingSecret: slackSigning.name, team: slackTeam },
      targets: [
        {
          kind: 'slack',
          name: 'channel',
          channel: slackChannel,
          tokenSecret: slackTokenSecret,
          apiUrl: `${slackApiUrl}/`,
        },
        { kind: 'email', name: 'mailbox', from: `Poolkeeper <${mailFrom}>`, to: ['on-call@example.com'], via: 'ses' },
      ],
    },
  });
}
