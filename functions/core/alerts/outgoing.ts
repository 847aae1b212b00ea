import type { IncidentNotified } from '../../../events/index.ts';
import type { Occasion } from './incident.ts';
import type { AlertmanagerForm } from './message/alertmanager-form.ts';
import type { PagerDutyForm } from './message/pager-duty-form.ts';

/** A rendered message in the form its target takes. */
export interface OutgoingMessage {
  readonly deliveryId: string;
  readonly occasion: Occasion;
  /** Slack: text and blocks. Mail: subject, text, html, headers. */
  readonly slack?:
    | { readonly text: string; readonly blocks: readonly unknown[]; readonly broadcast: boolean }
    | undefined;
  readonly mail?:
    | {
        readonly subject: string;
        readonly text: string;
        readonly html: string;
        readonly headers: Readonly<Record<string, string>>;
      }
    | undefined;
  readonly pagerDuty?: readonly PagerDutyForm[] | undefined;
  readonly alertmanager?: AlertmanagerForm | undefined;
  readonly event?: IncidentNotified | undefined;
}
