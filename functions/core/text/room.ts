/** How much of something may still be looked at, for all that share it. */
export interface Room {
  readonly isLeft: () => boolean;
  /** What begins while there is room is finished: it may take more than is left. */
  readonly take: (amount: number) => void;
}

/** Nothing is looked at. */
export const noRoom: Room = { isLeft: () => false, take: () => {} };

export function roomFor(amount: number): Room {
  let left = amount;
  return {
    isLeft: () => left > 0,
    take: (taken) => {
      left -= taken;
    },
  };
}
