//! Digests and HMAC of Zig's standard library, for box.c.
const std = @import("std");
const sha2 = std.crypto.hash.sha2;
const Sha1 = std.crypto.hash.Sha1;

fn of(comptime Hash: type, key: ?[]const u8, data: []const u8, out: [*]u8) usize {
    if (key) |given| {
        std.crypto.auth.hmac.Hmac(Hash).create(out[0..Hash.digest_length], data, given);
    } else {
        Hash.hash(data, out[0..Hash.digest_length], .{});
    }
    return Hash.digest_length;
}

/// `bits` names the hash: 1 (SHA-1), 256, 384 or 512. Without a key it is a digest. How many bytes of `out`
/// were written: 64 at most, none for another hash.
export fn box_hash(bits: u32, key: ?[*]const u8, key_size: usize, data: [*]const u8, size: usize, out: [*]u8) usize {
    const given: ?[]const u8 = if (key) |k| k[0..key_size] else null;
    return switch (bits) {
        1 => of(Sha1, given, data[0..size], out),
        256 => of(sha2.Sha256, given, data[0..size], out),
        384 => of(sha2.Sha384, given, data[0..size], out),
        512 => of(sha2.Sha512, given, data[0..size], out),
        else => 0,
    };
}
