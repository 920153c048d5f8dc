/** How a place in S3, and the keys to it, are written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openArchives } from "../../../actors/fleet/archives.ts";
import { keysIn, keysToKeep, s3PlaceOf } from "../../../actors/fleet/s3-place.ts";

test("a URI names bucket, prefix, endpoint and region", () => {
  const place = s3PlaceOf("s3://my-bucket/troupe/a%20b/?endpoint=https://s3.example.com/&region=eu-1");
  assert.deepEqual(place, {
    url: "https://s3.example.com/my-bucket",
    region: "eu-1",
    prefix: "troupe/a b/",
    words: "the bucket my-bucket at s3.example.com",
    keysOutside: false,
  });
  const plain = s3PlaceOf("s3://my-bucket?keys=environment");
  assert.deepEqual(
    [plain.url, plain.prefix, plain.keysOutside],
    ["https://s3.us-east-1.amazonaws.com/my-bucket", "", true],
  );
});

test("a URI that is none is refused, and one with keys in it", () => {
  const wrong = {
    "s3://": /no URI|name a bucket/,
    "s3://Bucket_1": /name a bucket/,
    "s3://id:secret@bucket": /no keys in it/,
    "s3://bucket?endpoint=ftp://x": /an endpoint/,
    "s3://bucket?endpoint=x": /an endpoint/,
    "s3://bucket?regoin=x": /unknown parameter regoin/,
    "s3://bucket?keys=file": /environment only/,
    "s3://bucket/100%": /write %25/,
  };
  for (const [uri, message] of Object.entries(wrong))
    assert.throws(() => s3PlaceOf(uri), { kind: "invalid", message }, uri);
});

test("keys are those of the environment, and a store without keys is refused", () => {
  assert.equal(keysIn({}), null);
  assert.deepEqual(keysIn({ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "s", AWS_SESSION_TOKEN: "t" }), {
    id: "id",
    secret: "s",
    session: "t",
  });
  assert.throws(() => keysIn({ AWS_ACCESS_KEY_ID: "id" }), { kind: "invalid", message: /set together/ });
  assert.equal(keysToKeep("dir:/x", undefined), undefined);
  assert.equal(keysToKeep("s3://bucket?keys=environment", { id: "id", secret: "s" }), undefined);
  assert.throws(() => openArchives({ archives: "s3://bucket" }), {
    message: /need keys: set AWS_ACCESS_KEY_ID/,
  });
});
