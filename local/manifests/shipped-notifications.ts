import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Text of docs/install/argocd-notifications-cm.yaml. */
export function shippedNotifications(): string {
  return readFileSync(join(import.meta.dirname, '../../docs/install/argocd-notifications-cm.yaml'), 'utf8');
}
