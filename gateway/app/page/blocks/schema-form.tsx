/** A form for any value that a schema describes, nested like the value. */
import { useId } from "preact/hooks";
import { firstOf, fits, type Props, type Resolve, type Schema } from "./kinds.ts";

export interface FormProps {
  schema: Schema;
  value: unknown;
  label: string;
  resolve: Resolve;
  onChange(value: unknown): void;
}

function nameOf(given: Schema, resolve: Resolve): string {
  const schema = resolve(given);
  const own = schema.$ref?.slice("#/$defs/".length);
  if (own !== undefined) return own.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  if (schema.type === "array") return "list";
  return schema.enum === undefined ? (schema.type ?? "value") : schema.enum.join(" or ");
}

function ValueForm(props: FormProps) {
  const schema = props.resolve(props.schema);
  if (schema.oneOf !== undefined) return <VariantForm {...props} schema={schema} variants={schema.oneOf} />;
  if (schema.const !== undefined) return null;
  if (schema.enum !== undefined) return <ChoiceForm {...props} choices={schema.enum} />;
  if (schema.type === "object" && schema.properties !== undefined)
    return <ObjectForm {...props} schema={schema} />;
  if (schema.type === "boolean") return <BooleanForm {...props} />;
  if (schema.type === "string" || schema.type === "integer" || schema.type === "number")
    return <TextForm {...props} schema={schema} />;
  if (schema.type === "array" && schema.items !== undefined)
    return <ListForm {...props} schema={schema} items={schema.items} />;
  if (schema.type === "object" && typeof schema.additionalProperties === "object")
    return <MapForm {...props} values={schema.additionalProperties} />;
  if (schema.type === "null") return null;
  return <JsonForm {...props} />;
}

function ListForm({ schema, items, value, label, resolve, onChange }: FormProps & { items: Schema }) {
  const list: unknown[] = Array.isArray(value) ? value : [];
  const least = schema.minItems ?? 0;
  const without = (at: number) => list.filter((_, index) => index !== at);
  const up = (at: number) => [...list.slice(0, at - 1), list[at], list[at - 1], ...list.slice(at + 1)];
  return (
    <fieldset class="nested">
      <legend>{label}</legend>
      {list.map((one, at) => {
        const name = `${label} ${at + 1}`;
        const isFree = schema.endOnly !== true;
        return (
          <div key={at} class="property">
            <ValueForm
              schema={items}
              value={one}
              label={name}
              resolve={resolve}
              onChange={(next) => onChange(list.map((other, index) => (index === at ? next : other)))}
            />
            {isFree && at > 0 ? (
              <button type="button" aria-label={`Move ${name} up`} onClick={() => onChange(up(at))}>
                ↑
              </button>
            ) : null}
            {list.length > least && (isFree || at === list.length - 1) ? (
              <button type="button" aria-label={`Remove ${name}`} onClick={() => onChange(without(at))}>
                ×
              </button>
            ) : null}
          </div>
        );
      })}
      <button type="button" onClick={() => onChange([...list, firstOf(items, resolve)])}>
        {`Add to ${label}`}
      </button>
    </fieldset>
  );
}

function MapForm({ values, value, label, resolve, onChange }: FormProps & { values: Schema }) {
  const held = Object.entries(Object(value));
  const names = held.map(([name]) => name);
  const free = (wanted: string) => {
    let name = wanted;
    for (let number = 2; names.includes(name); number += 1) name = `${wanted}${number}`;
    return name;
  };
  const set = (at: number, entry: [string, unknown]) =>
    onChange(Object.fromEntries(held.map((other, index) => (index === at ? entry : other))));
  return (
    <fieldset class="nested">
      <legend>{label}</legend>
      {held.map(([name, one], at) => (
        <div key={at} class="property">
          <div>
            <label class="field">
              <span>{`name ${at + 1} of ${label}`}</span>
              <input
                value={name}
                onChange={({ currentTarget: input }) => {
                  const taken = input.value === "" || (input.value !== name && names.includes(input.value));
                  input.setCustomValidity(taken ? "The name must be unique and not empty." : "");
                  if (taken) input.reportValidity();
                  else set(at, [input.value, one]);
                }}
              />
            </label>
            <ValueForm
              schema={values}
              value={one}
              label={`value ${at + 1} of ${label}`}
              resolve={resolve}
              onChange={(next) => set(at, [name, next])}
            />
          </div>
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => onChange(Object.fromEntries(held.filter((_, index) => index !== at)))}
          >
            ×
          </button>
        </div>
      ))}
      <button
        type="button"
        onClick={() => onChange(Object.fromEntries([...held, [free("name"), firstOf(values, resolve)]]))}
      >
        {`Add to ${label}`}
      </button>
    </fieldset>
  );
}

function VariantForm({ variants, ...props }: FormProps & { variants: Schema[] }) {
  const id = useId();
  const { value, label, resolve, onChange } = props;
  const at = Math.max(
    variants.findIndex((variant) => fits(value, variant, resolve)),
    0,
  );
  const chosen = variants[at];
  return (
    <fieldset class="nested">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={at}
        onChange={(event) => onChange(firstOf(variants[Number(event.currentTarget.value)] ?? {}, resolve))}
      >
        {variants.map((variant, index) => (
          <option key={nameOf(variant, resolve)} value={index}>
            {nameOf(variant, resolve)}
          </option>
        ))}
      </select>
      {chosen === undefined ? null : <ValueForm {...props} schema={chosen} label={label} />}
    </fieldset>
  );
}

/** Required properties are always shown; the user adds the others. */
export function ObjectForm({ schema, value, label, resolve, onChange }: FormProps) {
  const properties = Object.entries(schema.properties ?? {});
  const held: Props = Object(value);
  const shown = properties.filter(([name]) => name in held || schema.required?.includes(name));
  const more = properties.filter(([name]) => !shown.some(([known]) => known === name));
  const without = (name: string) => Object.fromEntries(Object.entries(held).filter(([key]) => key !== name));
  return (
    <div class="properties">
      {shown.map(([name, property]) => (
        <div key={name} class="property">
          <ValueForm
            schema={property}
            value={held[name]}
            label={name}
            resolve={resolve}
            onChange={(next) => onChange({ ...held, [name]: next })}
          />
          {schema.required?.includes(name) ? null : (
            <button type="button" aria-label={`Remove ${name}`} onClick={() => onChange(without(name))}>
              ×
            </button>
          )}
        </div>
      ))}
      {more.length === 0 ? null : (
        <select
          aria-label={`Add to ${label}`}
          value=""
          onChange={(event) => {
            const name = event.currentTarget.value;
            const added = schema.properties?.[name];
            if (added !== undefined) onChange({ ...held, [name]: firstOf(added, resolve) });
          }}
        >
          <option value="">add …</option>
          {more.map(([name]) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function ChoiceForm({ choices, value, label, onChange }: FormProps & { choices: unknown[] }) {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={choices.indexOf(value)}
        onChange={(event) => onChange(choices[Number(event.currentTarget.value)])}
      >
        {choices.map((choice, at) => (
          <option key={String(choice)} value={at}>
            {String(choice)}
          </option>
        ))}
      </select>
    </label>
  );
}

function BooleanForm({ value, label, onChange }: FormProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />{" "}
      {label}
    </label>
  );
}

function TextForm({ schema, value, label, onChange }: FormProps) {
  const isNumber = schema.type !== "string";
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type={isNumber ? "number" : "text"}
        value={typeof value === "string" || typeof value === "number" ? value : ""}
        onInput={({ currentTarget: { value: text, valueAsNumber } }) =>
          onChange(isNumber ? (Number.isNaN(valueAsNumber) ? 0 : valueAsNumber) : text)
        }
      />
    </label>
  );
}

function JsonForm({ value, label, onChange }: FormProps) {
  return (
    <label class="field">
      <span>{label}, as JSON</span>
      <textarea
        rows={3}
        defaultValue={JSON.stringify(value ?? null, null, 1)}
        onChange={({ currentTarget: area }) => {
          try {
            onChange(JSON.parse(area.value));
            area.setCustomValidity("");
          } catch {
            area.setCustomValidity("This is not valid JSON.");
            area.reportValidity();
          }
        }}
      />
    </label>
  );
}
