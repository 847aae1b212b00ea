import type { DeployedConfiguration } from '../../infra/configuration.ts';

/** Clusters, Argo CD with a relay, previews of pull requests, Slack channels and mailboxes: every kind of grant that
 *  depends on the configuration. */
export const configuration: DeployedConfiguration = {
  clusters: [
    {
      name: 'prod-eu',
      api: { tokenSecret: 'poolkeeper/clusters/prod-eu' },
      windows: [{ calendarFrom: { headerSecret: 'poolkeeper/calendar' } }, {}],
      pools: { worker: { ticket: { headerSecret: 'poolkeeper/itsm' } }, infra: {} },
    },
    {
      name: 'prod-us',
      api: { tokenSecret: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:clusters/prod-us-AbCdEf' },
    },
  ],
  sequences: { virt: { steps: { ready: { waitFor: { http: { headerSecret: 'poolkeeper/gate' } } } } } },
  nodeTurns: {
    rules: {
      change: {
        http: {
          headerSecret: 'poolkeeper/change',
          signingSecret: 'poolkeeper/change-key',
          callbackUrl: 'https://poolkeeper.example.com',
        },
      },
      notes: {
        lambda: {
          functionName: 'take-note',
          cleanUpFunctionName: 'arn:aws:lambda:eu-west-1:111122223333:function:take-note:live',
        },
      },
    },
  },
  argocd: [{ relay: {} }, {}],
  fleetLock: {
    groups: { default: { tokenSecret: 'poolkeeper/fleet-lock' }, db: { tokenSecret: 'poolkeeper/fleet-lock' } },
  },
  github: { tokenSecret: 'poolkeeper/github-token', readsChanges: true, hooks: [{}], preview: {} },
  alerts: {
    targets: [
      { kind: 'slack', tokenSecret: 'poolkeeper/slack' },
      { kind: 'slack-webhook', urlSecret: 'poolkeeper/slack-webhook' },
      { kind: 'email', via: 'ses', from: 'Poolkeeper <alerts@example.com>' },
      { kind: 'email', via: 'smtp', from: 'local@example.org' },
      { kind: 'pagerduty', routingKeySecret: 'poolkeeper/pagerduty' },
      { kind: 'alertmanager' },
      { kind: 'webhook', bearerSecret: 'poolkeeper/hook', signingSecret: 'poolkeeper/hook-key' },
      { kind: 'outbox' },
    ],
    slackButtons: { signingSecret: 'poolkeeper/slack-signing' },
  },
};
