/** Who answers: providers of models, each with one that is a good beginning. */
import { MODEL_PROVIDERS } from "../../../contracts/providers";

export interface Provider {
  /** What comes first in its models' names. */
  id: string;
  name: string;
  /** A model of the middle price that calls tools; null: none is known. */
  model: string | null;
  /** Where its key belongs to, if that is not a setting of its own. */
  address: string | null;
}

export const PROVIDERS: readonly Provider[] = MODEL_PROVIDERS;
/** Those with a model to begin with. */
export const USUAL = PROVIDERS.filter(({ model }) => model !== null);
export const OTHERS = PROVIDERS.filter(({ model }) => model === null).toSorted((one, other) =>
  one.name.localeCompare(other.name),
);

/** A server of one's own: any that speaks as OpenAI's does, or an Ollama. */
export const OWN = "own";

/** What a person says in the two steps. */
export interface Wanted {
  provider: string;
  model: string;
  /** Of a server of one's own. */
  address: string;
  key: string;
}

const [{ id, model }] = MODEL_PROVIDERS;
export const NOTHING_YET: Wanted = { provider: id, model, address: "", key: "" };

export function providerOf(provider: string): Provider | undefined {
  return PROVIDERS.find(({ id }) => id === provider);
}

/** The same with another provider: its model, and no key of the one before. */
export function withProvider(wanted: Wanted, provider: string): Wanted {
  const known = providerOf(provider);
  const model = known ? (known.model ?? `${provider}/`) : "";
  return provider === wanted.provider ? wanted : { provider, model, address: "", key: "" };
}

/** Why one can't go on to the second step; null: one can. */
export function missing({ provider, model, address }: Wanted): string | null {
  const name = model.trim();
  if (!name || name === `${provider}/`) return "Name the model.";
  if (providerOf(provider)?.address && !name.startsWith(`${provider}/`))
    return `Begin the model's name with ${provider}/, such as ${provider}/NAME.`;
  if (provider !== OWN) return null;
  if (!/^https?:\/\/\S+$/.test(address.trim()))
    return "Give the server's address, such as http://127.0.0.1:11434.";
  return null;
}

/** The settings that this comes to. An empty address sets that there is none, whatever else says one. */
export function settingsOf({ provider, model, address, key }: Wanted): Record<string, string> {
  const server = provider === OWN ? address.trim() : (providerOf(provider)?.address ?? "");
  const secret = key.trim();
  return {
    model: model.trim(),
    model_base_url: server,
    ...(secret ? { [server ? "model_api_key" : `${provider}_api_key`]: secret } : {}),
  };
}
