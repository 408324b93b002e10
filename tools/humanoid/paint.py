"""The images: colours and folds as functions of the place on the body, and PNG files by hand."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from humanoid import atlas, body

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

SKIN, HAIR, SHIRT = (240, 194, 164), (82, 52, 36), (34, 128, 136)
CREAM, ORANGE, TROUSERS = (246, 238, 222), (236, 116, 62), (54, 64, 98)
SOLE, LIPS, EYE_WHITE, IRIS, DARK = (
    (244, 242, 236),
    (196, 104, 96),
    (250, 250, 248),
    (74, 120, 104),
    (34, 26, 26),
)
FINE = 2  # samples for a pixel, along each axis


def rendered(points: Floats, normals: Floats, mesh: atlas.Unrolled) -> tuple[Bytes, Bytes]:
    """The colour image (S, S, 3) and the normal image (S / 2, S / 2, 3)."""
    size = atlas.SIZE * FINE
    where = np.full((size, size, 3), np.nan)
    facing = np.zeros((size, size, 3))
    part = np.full((size, size), -1)
    for k, face in enumerate(mesh.faces):
        _fill(mesh.texcoords[face] * size, points[mesh.source[face]], normals[mesh.source[face]],
              int(mesh.parts[k]), where, facing, part)  # fmt: skip
    covered = part >= 0
    color = np.zeros((size, size, 3))
    height = np.zeros((size, size))
    p = where[covered]
    n = facing[covered] / np.linalg.norm(facing[covered], axis=1, keepdims=True)
    color[covered], height[covered] = looks(p, n, part[covered])
    color = _spread(color, covered)
    height = _spread(height[..., None], covered)
    color = _smaller(color, FINE)
    color = (np.round(color / 4) * 4).clip(0, 255)  # packs half as large, and nobody sees it
    return color.astype(np.uint8), _normals(_smaller(height, FINE * 2)[..., 0])


def _fill(
    uv: Floats,
    points: Floats,
    normals: Floats,
    part: int,
    where: Floats,
    facing: Floats,
    owner: NDArray,
) -> None:
    """Put the places of a triangle on the body into the pixels that it covers in the image."""
    low = np.maximum(np.floor(uv.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(uv.max(axis=0)).astype(int) + 2, len(owner))
    x, y = np.meshgrid(np.arange(low[0], high[0]) + 0.5, np.arange(low[1], high[1]) + 0.5)
    (ax, ay), (bx, by), (cx, cy) = uv
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if abs(area) < 1e-9:
        return
    b = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area
    c = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area
    shares = np.stack([1.0 - b - c, b, c], axis=-1)
    edges = np.linalg.norm(uv[[2, 0, 1]] - uv[[1, 2, 0]], axis=1)
    exact = (shares >= 0.0).all(axis=-1)
    # A pixel more around the edges, where nothing is yet.
    near = (shares > -edges / abs(area)).all(axis=-1) & (
        owner[low[1] : high[1], low[0] : high[0]] < 0
    )
    rows, columns = np.nonzero(exact | near)
    shares = np.clip(shares[rows, columns], 0.0, 1.0)
    shares /= shares.sum(axis=-1, keepdims=True)
    rows, columns = rows + low[1], columns + low[0]
    where[rows, columns] = shares @ points
    facing[rows, columns] = shares @ normals
    owner[rows, columns] = part


def looks(p: Floats, n: Floats, part: NDArray) -> tuple[Floats, Floats]:
    """Colours (N, 3), 0 to 255, and heights (N,) of the surface in metres, at places (N, 3)."""
    _, cloth = body.distances(p)
    label = cloth.argmin(axis=1)
    arm = np.isin(part, [k for k, one in enumerate(atlas.PARTS) if one.name.startswith("arm")])
    x, y, z = np.abs(p[:, 0]), p[:, 1], p[:, 2]
    s = (np.stack([x, y, z], 1) - body.SHOULDER) @ body.ALONG  # along the arm
    angle = np.empty(len(p))
    for k, one in enumerate(atlas.PARTS):
        angle[part == k] = one.angles(p[part == k])
    color = np.empty((len(p), 3))
    height = np.zeros(len(p))
    # Hem and collar are cut clean, wherever the lumps below them melt into each other.
    middle = ~arm & (y > 0.8) & (y < 1.5) & (x < 0.2)
    collar = 1.464 - 0.30 * (z + 0.02) - y
    label[middle & (y > 1.40)] = np.where(collar[middle & (y > 1.40)] > 0, 2, 0)
    label[middle & (y <= 1.40)] = np.where(y[middle & (y <= 1.40)] > 0.926, 2, 3)
    shirt, trousers = label == 2, label == 3
    color[label == 0], color[label == 1], color[label == 4] = SKIN, HAIR, ORANGE
    color[shirt], color[trousers] = SHIRT, TROUSERS
    edge = middle & (y > 1.40) & (collar < 0.014)
    _mix(color, 0.35 * (shirt & edge), (0, 40, 48))
    height += np.where(shirt & edge, 0.002, 0.0)
    _paint_shirt(color, height, shirt, arm, y, s, angle, np.arctan2(p[:, 0], z))
    _paint_trousers(color, height, trousers, x, y, z, angle)
    _paint_shoes(color, height, label == 4, p, n)
    _paint_hair(color, height, label == 1, p)
    _paint_face(color, (label == 0) & (part == 0), p)
    _paint_hands(color, height, (label == 0) & arm, s, z)
    # Where the surface sees little of the sky it is darker.
    for far, strength in ((0.02, 0.12), (0.07, 0.22)):
        seen = np.clip(body.distance(p + far * n) / far, 0.0, 1.0)
        color *= (1.0 - strength * (1.0 - seen))[:, None]
    color *= (0.97 + 0.03 * n[:, 1])[:, None]
    return np.clip(color, 0, 255), height


def _mix(color: Floats, where: Floats, paint: tuple[int, ...]) -> None:
    """Paint over colours, as thick as `where` says, 0 to 1."""
    share = np.clip(where, 0.0, 1.0)[:, None]
    color += share * (np.array(paint, float) - color)


def _line(distance: Floats, width: float) -> Floats:
    """A soft line of a width around where a distance is 0."""
    return np.clip((width - np.abs(distance)) / 0.0015, 0.0, 1.0)


def _bump(x: Floats, width: float) -> Floats:
    return np.exp(-((x / width) ** 2))


def _paint_shirt(color, height, shirt, arm, y, s, angle, around) -> None:
    band = np.where(arm, s - 0.185, 1.262 - y)
    _mix(color, shirt * _line(band, 0.021), CREAM)
    _mix(color, shirt * _line(band - 0.034, 0.007), ORANGE)
    ribbed = shirt & ((~arm & (y < 0.955)) | (arm & (s > 0.43)))
    _mix(color, 0.25 * ribbed, (0, 40, 48))
    height += np.where(ribbed, 0.0012 * np.sin(np.where(arm, 22 * angle, 44 * around)), 0.0)
    elbow = s - body.UPPER
    folds = 0.0025 * _bump(elbow, 0.05) * np.sin(elbow * 230 + 1.5 * np.cos(angle))
    folds += 0.002 * _bump(s - 0.375, 0.03) * np.sin(s * 260 + np.cos(angle * 2))
    height += np.where(shirt & arm, folds, 0.0)
    waist = 0.003 * _bump(y - 1.0, 0.05) * np.sin(y * 150 + 2.2 * np.sin(around * 2))
    waist += 0.002 * _bump(y - 1.3, 0.06) * np.sin(y * 90 + 6 * np.abs(np.sin(around)))
    height += np.where(shirt & ~arm, waist, 0.0)


def _paint_trousers(color, height, trousers, x, y, z, angle) -> None:
    leg = trousers & (y < 0.87)
    seam = np.where(leg, (np.abs(angle) - np.pi / 2) * 0.06, 1.0)
    _mix(color, 0.35 * _line(seam, 0.002) * trousers, (20, 26, 48))
    height -= np.where(leg, 0.0015 * _bump(seam, 0.003), 0.0)
    pocket = np.hypot(x - 0.135, (y - 0.9)) - 0.055
    _mix(color, 0.4 * _line(pocket, 0.002) * (trousers & (y > 0.84) & (z > 0.0)), (20, 26, 48))
    cuff = leg & (y < 0.155)
    _mix(color, 0.18 * cuff, (150, 160, 190))
    knee = y - 0.495
    folds = (
        0.003
        * _bump(knee, 0.05)
        * np.sin(knee * 190 + 1.8 * np.cos(angle))
        * (0.6 - 0.4 * np.cos(angle))
    )
    folds += 0.003 * _bump(y - 0.2, 0.05) * np.sin(y * 200 + 1.2 * np.cos(angle * 2))
    folds += 0.003 * _bump(y - 0.83, 0.05) * np.sin(y * 120 + 20 * x)
    height += np.where(trousers, folds, 0.0)


def _paint_shoes(color, height, shoe, p, n) -> None:
    x, y, z = np.abs(p[:, 0]) - 0.111, p[:, 1], p[:, 2]
    _mix(color, shoe * np.clip((0.024 - y) / 0.0015, 0, 1), SOLE)
    toe = np.clip((z - 0.128) / 0.002, 0, 1) * (y >= 0.024)
    _mix(color, shoe * toe, CREAM)
    tongue = shoe & (z > 0.005) & (z < 0.105) & (np.abs(x) < 0.024) & (n[:, 1] > 0.35)
    laces = np.clip((np.sin(z * 2 * np.pi / 0.022) - 0.1) * 4, 0, 1)
    _mix(color, 0.35 * tongue, (120, 40, 20))
    _mix(color, tongue * laces, CREAM)
    height += np.where(tongue, 0.0015 * laces, 0.0)
    height += np.where(shoe & (y < 0.024), -0.002 * np.cos((0.024 - y) * 400), 0.0)
    stripe = _line(z - 0.02 - (y - 0.04) * 0.5, 0.005) + _line(z - 0.04 - (y - 0.04) * 0.5, 0.005)
    _mix(color, stripe * (shoe & (np.abs(x) > 0.034) & (y > 0.026) & (y < 0.075)), CREAM)


def _paint_hair(color, height, hair, p) -> None:
    around = np.arctan2(p[:, 0] - 0.02, p[:, 2] + 0.02)
    strands = np.sin(around * 46 + 5 * np.sin(p[:, 1] * 40)) + 0.6 * np.sin(around * 83 + 3)
    _mix(color, hair * np.clip(0.12 + 0.12 * strands, 0, 1), (150, 102, 70))
    height += np.where(hair, 0.001 * strands, 0.0)


def _paint_face(color, face, p) -> None:
    x, y, z = p[:, 0], p[:, 1], p[:, 2]
    front = face & (z > 0.03)
    side = np.abs(x)
    _mix(
        color,
        0.32 * front * _bump(np.hypot(side - 0.052, (y - 1.578) * 1.2), 0.022),
        (238, 128, 112),
    )
    _mix(color, 0.18 * front * _bump(np.hypot(x, (y - 1.588) * 1.4), 0.014), (232, 130, 110))
    ex, ey = side - 0.0375, y - 1.618
    eye = np.hypot(ex / 0.0185, ey / (0.0118 - 0.08 * np.abs(ex)))
    _mix(color, front * np.clip((1.12 - eye) / 0.08, 0, 1), DARK)
    _mix(color, front * np.clip((0.98 - eye) / 0.10, 0, 1), EYE_WHITE)
    inside = front * np.clip((0.98 - eye) / 0.10, 0, 1)
    look = np.hypot(ex + 0.001, ey + 0.0005)
    _mix(color, inside * np.clip((0.0098 - look) / 0.001, 0, 1), IRIS)
    _mix(color, inside * np.clip((0.0048 - look) / 0.001, 0, 1), DARK)
    _mix(
        color,
        inside
        * np.clip((0.0028 - np.hypot(x - np.sign(x) * 0.0375 - 0.003, ey - 0.0035)) / 0.001, 0, 1),
        (255, 255, 255),
    )
    lid = ey - (0.0098 - 14 * ex * ex)
    _mix(color, front * _line(lid, 0.0022) * (np.abs(ex) < 0.02), DARK)
    brow = y - (1.6465 - 9.0 * (side - 0.036) ** 2)
    thick = 0.0042 - 0.06 * np.clip(side - 0.03, 0, 1)
    _mix(
        color,
        front * np.clip((thick - np.abs(brow)) / 0.0012, 0, 1) * (side > 0.014) * (side < 0.064),
        HAIR,
    )
    smile = y - (1.5475 + 7.0 * x * x)
    _mix(
        color,
        0.6 * front * np.clip((0.0055 - np.abs(smile + 0.001)) / 0.003, 0, 1) * (side < 0.021),
        LIPS,
    )
    _mix(
        color,
        0.9 * front * np.clip((0.0018 - np.abs(smile)) / 0.001, 0, 1) * (side < 0.026),
        (132, 58, 56),
    )
    ear = face & (side > 0.098)
    _mix(color, 0.25 * ear, (226, 140, 118))
    _mix(color, 0.5 * face * np.clip((y - 1.675) / 0.02, 0, 1) * (z < 0.06), HAIR)


def _paint_hands(color, height, hand, s, z) -> None:
    beyond = s - (body.UPPER + body.FORE + 0.75 * body.PALM)
    middle = z - body.KNUCKLES[2]
    groove = np.zeros(len(s))
    for at in (-0.0175, 0.0, 0.0175):
        groove = np.maximum(groove, _bump(middle - at, 0.0028))
    groove *= np.clip(beyond / 0.02, 0, 1) * hand
    _mix(color, 0.45 * groove, (176, 112, 92))
    height -= 0.003 * groove
    _mix(color, 0.3 * hand * _bump(beyond, 0.012), (236, 150, 128))
    _mix(color, 0.22 * hand * np.clip((beyond - 0.07) / 0.02, 0, 1), (240, 150, 130))


# Images -------------------------------------------------------------------------------------------


def _spread(image: Floats, covered: NDArray) -> Floats:
    """Let colours run over the edges of the parts, so that none of the ground shows at seams."""
    image, filled = image.copy(), covered.copy()
    for _ in range(6 * FINE):
        total, count = np.zeros_like(image), np.zeros(filled.shape)
        for axis in (0, 1):
            for step in (1, -1):
                near = np.roll(filled, step, axis)
                total += np.where(near[..., None], np.roll(image, step, axis), 0.0)
                count += near
        new = ~filled & (count > 0)
        image[new] = total[new] / count[new][:, None]
        filled |= new
    image[~filled] = image[covered].mean(axis=0)
    return image


def _smaller(image: Floats, by: int) -> Floats:
    rows, columns, depth = image.shape
    return image.reshape(rows // by, by, columns // by, by, depth).mean(axis=(1, 3))


def _normals(height: Floats) -> Bytes:
    """The tangent-space normals of heights: red to the right, green up, blue out."""
    pixel = 0.006  # about how wide a pixel of this image is on the body [m]
    right = (np.roll(height, -1, 1) - np.roll(height, 1, 1)) / (2 * pixel)
    down = (np.roll(height, -1, 0) - np.roll(height, 1, 0)) / (2 * pixel)
    normal = np.stack([-right, down, np.ones_like(height)], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    return (np.round((normal * 0.5 + 0.5) * 127.5) * 2).clip(0, 255).astype(np.uint8)


def png(image: Bytes) -> bytes:
    """An RGB image (H, W, 3) as a PNG file, each row filtered in the way that packs best."""
    rows, columns, _ = image.shape
    above = np.vstack([np.zeros((1, columns, 3), np.uint8), image[:-1]]).astype(int)
    here = image.astype(int)
    left = np.concatenate([np.zeros((rows, 1, 3), int), here[:, :-1]], axis=1)
    corner = np.concatenate([np.zeros((rows, 1, 3), int), above[:, :-1]], axis=1)
    guess = left + above - corner
    pa, pb, pc = (np.abs(guess - one) for one in (left, above, corner))
    paeth = np.where((pa <= pb) & (pa <= pc), left, np.where(pb <= pc, above, corner))
    filters = [here, here - left, here - above, here - (left + above) // 2, here - paeth]
    filters = [(one % 256).astype(np.uint8).reshape(rows, -1) for one in filters]
    costs = np.stack([np.minimum(one, 256 - one.astype(int)).sum(axis=1) for one in filters])
    best = costs.argmin(axis=0)
    lines = b"".join(bytes([k]) + filters[k][r].tobytes() for r, k in enumerate(best))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 9))
        + chunk(b"IEND", b"")
    )  # fmt: skip
