/** An object whose methods all return promises. */
type Asynchronous<Service> = { readonly [Name in keyof Service]: (...args: never[]) => Promise<unknown> };

/**
 * @param load makes the object; called once, by the first call of a method
 * @returns an object with the same methods, which load the object first
 */
export function loadOnUse<Service extends Asynchronous<Service>>(load: () => Promise<Service>): Service {
  let loaded: Promise<Service> | undefined;
  return new Proxy({} as Service, {
    get: (_target, name) => {
      return async (...args: never[]): Promise<unknown> => {
        const service = await (loaded ??= load());
        return service[name as keyof Service](...args);
      };
    },
  });
}
