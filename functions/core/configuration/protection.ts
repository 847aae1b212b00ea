/** What a protection level does for a pool. Whoever needs to know asks for the property, never for the name. */
export interface ProtectionLevel {
  /** Poolkeeper pauses and resumes the pool. */
  readonly pauses: boolean;
  /** Full syncs ask in a PreSync Job whether the pause is confirmed, and apply nothing before. */
  readonly asksBeforeSync: boolean;
  /** The API server refuses what the pool would render while it is not paused. */
  readonly refusesUnpaused: boolean;
  /** The pool is paused between changes, and each is let through by a resume. */
  readonly rests: boolean;
  /** Argo CD may not sync an Application that affects the pool before the pool is confirmed paused. */
  readonly guardsSyncs: boolean;
}

/** Each level guarantees what those before it do, and more. Design section 6. */
export const protectionLevels = {
  observe: { pauses: false, asksBeforeSync: false, refusesUnpaused: false, rests: false, guardsSyncs: false },
  react: { pauses: true, asksBeforeSync: false, refusesUnpaused: false, rests: false, guardsSyncs: false },
  handshake: { pauses: true, asksBeforeSync: true, refusesUnpaused: false, rests: false, guardsSyncs: false },
  admission: { pauses: true, asksBeforeSync: false, refusesUnpaused: true, rests: false, guardsSyncs: false },
  guard: { pauses: true, asksBeforeSync: false, refusesUnpaused: false, rests: false, guardsSyncs: true },
  rest: { pauses: true, asksBeforeSync: false, refusesUnpaused: false, rests: true, guardsSyncs: false },
} as const satisfies Readonly<Record<string, ProtectionLevel>>;

export type ProtectionName = keyof typeof protectionLevels;

export function protectionOf({ protection }: { readonly protection: ProtectionName }): ProtectionLevel {
  return protectionLevels[protection];
}

export const protectionNames: readonly ProtectionName[] = Object.keys(protectionLevels).filter(
  (name): name is ProtectionName => name in protectionLevels,
);
