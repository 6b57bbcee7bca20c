/** Begin of the ids that a parser, or the core in its place, makes for turns to which the host gave none. */
export const GENERATED_TURN_ID = 'h-';
