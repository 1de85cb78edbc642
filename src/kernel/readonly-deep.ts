/** A type whose parts do not change, as those that zod infers do. */
export type ReadonlyDeep<Type> = Type extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : Type extends Date
    ? Type
    : Type extends object
      ? { readonly [Key in keyof Type]: ReadonlyDeep<Type[Key]> }
      : Type;
