import type { SESv2Client } from '@aws-sdk/client-sesv2';
import type { AlertTarget } from '../../core/configuration/alerts.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import type { Messenger } from '../../ports/messages.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Clock, Deadline } from '../../ports/time.ts';
import { alertmanagerMessenger } from './alertmanager.ts';
import { httpPost } from './http-post.ts';
import { outboxMessenger } from './outbox.ts';
import { pagerDutyMessenger } from './pager-duty.ts';
import { openSes, sesMessenger } from './ses.ts';
import { slackMessenger } from './slack.ts';
import { slackWebhookMessenger } from './slack-webhook.ts';
import { webhookMessenger } from './webhook.ts';

/** The dependencies of the messengers of a configuration. */
export interface MessengerParts {
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** SES's configuration set of this installation; undefined: it has none. */
  readonly configurationSet?: string | undefined;
  /** Opened for the first target by SES. */
  readonly ses?: (() => SESv2Client) | undefined;
  /** Mail by SMTP, i.e. `smtpMessenger` with a server; undefined: not available. Injected, so that the library it needs
   *  (240 KiB) is in no bundle that sends by SES. */
  readonly smtp?: ((mail: { readonly from: string; readonly to: readonly string[] }) => Messenger) | undefined;
  /** Directory of the outbox; undefined: none. */
  readonly outbox?: string | undefined;
}

/** The messenger of each target, created once. Throws Misconfigured for a target whose dependencies are missing. */
export function messengersFor(parts: MessengerParts): (target: AlertTarget) => Messenger {
  const made = new Map<string, Messenger>();
  return (target) => {
    const known = made.get(target.name);
    if (known !== undefined) return known;
    const messenger = messengerFor(target, parts);
    made.set(target.name, messenger);
    return messenger;
  };
}

function messengerFor(target: AlertTarget, parts: MessengerParts): Messenger {
  const { secrets, clock, deadline, ses = openSes, configurationSet, smtp, outbox } = parts;
  const post = httpPost(deadline);
  switch (target.kind) {
    case 'slack': {
      const { apiUrl, channel, tokenSecret } = target;
      return slackMessenger({ apiUrl, channel, tokenSecret, secrets, post });
    }
    case 'slack-webhook':
      return slackWebhookMessenger({ urlSecret: target.urlSecret, secrets, post });
    case 'email': {
      const { from, to, via, name } = target;
      if (via === 'ses') return sesMessenger({ client: ses(), from, to, configurationSet });
      if (smtp === undefined) throw new Misconfigured([`alert target ${name}: there is no SMTP server here`]);
      return smtp({ from, to });
    }
    case 'pagerduty':
      return pagerDutyMessenger({
        eventsUrl: target.eventsUrl,
        routingKeySecret: target.routingKeySecret,
        secrets,
        post,
      });
    case 'alertmanager':
      return alertmanagerMessenger({ url: target.url, bearerSecret: target.bearerSecret, secrets, post });
    case 'webhook': {
      const { url, bearerSecret, signingSecret } = target;
      return webhookMessenger({ url, bearerSecret, signingSecret, secrets, post });
    }
    case 'outbox':
      if (outbox === undefined) throw new Misconfigured([`alert target ${target.name}: there is no outbox here`]);
      return outboxMessenger({ directory: outbox, clock });
    default:
      return target satisfies never;
  }
}
