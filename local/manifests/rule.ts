/** An RBAC rule. Each verb below is used in functions/adapters/kubernetes/ or functions/core/diagnose/questions.ts. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}
