import { applicationOf } from '../../../functions/adapters/kubernetes/application-of.ts';
import { itemByItem } from '../../../functions/adapters/kubernetes/item-by-item.ts';
import type { Application } from '../../../functions/core/argocd/application.ts';
import type { AnnotationRules } from '../../../functions/core/argocd/pools-annotation.ts';
import type { UnreadableItem } from '../../../functions/core/findings/listed.ts';
import { KubeObject } from './kube-object.ts';

/** An Application, as far as it can be parsed: what one of a tenant says spoils the prediction for nobody. */
export interface ApplicationRead {
  /** With a status that cannot be parsed, as if Argo CD had not compared it yet; undefined: what it deploys is not
   *  known. */
  readonly application: Application | undefined;
  /** Absent: all of it was parsed. */
  readonly unreadable: UnreadableItem | undefined;
}

/** Parses an Application of the instance of that name. */
export function applicationRead(argocd: string, body: unknown, rules?: AnnotationRules): ApplicationRead {
  const parsed = (each: unknown) => itemByItem('Application', [each], (one) => applicationOf(argocd, one, rules));
  const whole = parsed(body);
  const [application] = whole.items.length > 0 ? whole.items : parsed(withoutStatus(body)).items;
  return { application, unreadable: whole.unreadable[0] };
}

function withoutStatus(body: unknown): unknown {
  const read = KubeObject.safeParse(body);
  if (!read.success) return body;
  const { status: _status, ...rest } = read.data;
  return rest;
}
